// What asks for a turn of a task, keeps it from one, or follows from one and is yet to be done; and which words in files are
// our own tools'.
import type { TaskId } from '../../../core/ids.ts';
import type { Consequence } from '../../../core/rules/consequences.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Database } from '../database.ts';
import { integer, json, type RowOf, sequence, table, text } from '../table.ts';

/** Events that ask for a turn (resumed, unblocked, a comment): kept until a request carries them. */
export const WAKES = table(
  'wakes',
  { task: text<TaskId>(), kind: text<Wake>(), at: integer() },
  { key: ['task', 'kind'] },
);

/** Why tasks were paused by somebody else than their person. A row counts while its task is paused. */
export const PAUSES = table('pauses', {
  task: text<TaskId>(),
  reason: text(),
  /** Epoch ms. */
  at: integer(),
});

export interface Pause extends RowOf<typeof PAUSES> {
  name: string;
  path: string;
}

/** Consequences that were decided and are not yet applied: recorded with what caused them, so that a crash loses none. */
export const CONSEQUENCES = table('consequences', {
  seq: sequence(),
  at: integer(),
  task: text<TaskId>(),
  consequence: json<Consequence>(),
  /** What the consequence needs besides, as JSON text. */
  payload: text(),
});

export type PendingConsequence = RowOf<typeof CONSEQUENCES>;

/**
 * Comment entries that were written with our own tools (`taskroom comment`, an agent): only those are sent upstream, text
 * typed by hand under `## Comments` is not.
 */
export const SPOKEN = table('spoken', { entry: text(), at: integer() });

const PAUSED = `SELECT pauses.task, tasks.name, tasks.path, pauses.reason, pauses.at FROM pauses JOIN tasks ON tasks.id = pauses.task
  WHERE tasks.paused = 1 AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled')
  ORDER BY pauses.at, pauses.task`;

export function createWakesTable(db: Database) {
  const wakes = WAKES.in(db);
  return {
    /** The same kind twice is one. */
    add: (task: TaskId, kind: Wake, at: number): void => void wakes.insertNew({ task, kind, at }),
    /** Oldest first. */
    of: (task: string) => wakes.all('WHERE task = ? ORDER BY at', task).map(({ kind }) => kind),
    clear: (task: string) => wakes.deleteAll('WHERE task = ?', task),
  };
}

export function createPausesTable(db: Database) {
  return {
    ...PAUSES.in(db),
    /** Those of open tasks with a file that are paused, the oldest first. */
    list: () => db.prepare(PAUSED).all() as unknown as Pause[],
  };
}

export function createConsequencesTable(db: Database) {
  const consequences = CONSEQUENCES.in(db);
  return {
    ...consequences,
    /** Oldest first. */
    list: () => consequences.all('ORDER BY seq'),
  };
}

export function createSpokenCommentsTable(db: Database) {
  const spoken = SPOKEN.in(db);
  return {
    add: (entry: string, at: number): void => void spoken.insertNew({ entry, at }),
    /** Those of `entries` that were. */
    among(entries: readonly string[]): Set<string> {
      if (entries.length === 0) return new Set();
      const rows = spoken.all('WHERE entry IN (SELECT value FROM json_each(?))', JSON.stringify(entries));
      return new Set(rows.map(({ entry }) => entry));
    },
  };
}
