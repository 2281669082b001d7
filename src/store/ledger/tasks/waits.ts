// What asks for a turn of a task, keeps it from one, or follows from one and is yet to be done; and which words in files are
// our own tools'. Times are epoch ms.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { CheckResult, CheckState, TrustedWords } from '../../../core/rules/checks.ts';
import type { Consequence } from '../../../core/rules/consequences.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { TaskQuestion } from '../../../core/task/task.ts';
import { flag, integer, json, optional, type RowOf, sequence, table, text } from '../table.ts';

/** Events that ask for a turn (resumed, unblocked, a comment): kept until a request carries them. */
export const WAKES = table(
  'wakes',
  { task: text<TaskId>(), kind: text<Wake>(), at: integer() },
  { key: ['task', 'kind'], order: 'at' },
);

export const wakes = WAKES.with((rows) => ({
  /** The same kind twice is one. */
  add: (task: TaskId, kind: Wake, at: number): void => void rows.insertNew({ task, kind, at }),
  of: (task: string) => rows.all({ task }).map(({ kind }) => kind),
}));

/** What the person told agents and no turn has heard: a turn that begins has it in its context, one that runs may hear it. */
export const TOLD = table(
  'told_words',
  { number: sequence(), task: text<TaskId>(), text: text(), at: integer() },
  { order: 'number' },
);

export const told = TOLD.with((rows, db) => ({
  /** With the last words of a task nothing asks for its next turn. */
  heard: (task: TaskId, number: number): void =>
    db.transaction(() => {
      rows.delete(number);
      if (!rows.has({ task })) db.run("DELETE FROM wakes WHERE task = ? AND kind = 'told'", task);
    }),
}));

/** Why tasks were paused by somebody else than their person. A row counts while its task is paused. */
export const PAUSES = table('pauses', { task: text<TaskId>(), reason: text(), at: integer() });

export type Pause = RowOf<typeof PAUSES> & { name: string; path: string };

const PAUSED = `SELECT pauses.task, tasks.name, tasks.path, pauses.reason, pauses.at FROM pauses JOIN tasks ON tasks.id = pauses.task
  WHERE tasks.paused = 1 AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled')
  ORDER BY pauses.at, pauses.task`;

/** `list`: those of open tasks with a file that are paused, the oldest first. */
export const pauses = PAUSES.with((_rows, db) => ({ list: () => db.rows<Pause>(PAUSED) }));

/** Consequences that were decided and are not yet applied: recorded with what caused them, so that a crash loses none. */
export const CONSEQUENCES = table(
  'consequences',
  {
    seq: sequence(),
    at: integer(),
    task: text<TaskId>(),
    consequence: json<Consequence>(),
    payload: text(), // What the consequence needs besides, as JSON text.
  },
  { order: 'seq' },
);

export type PendingConsequence = RowOf<typeof CONSEQUENCES>;

export const consequences = CONSEQUENCES.with();

/** Comments made with our own tools (`taskroom comment`, an agent): these go upstream, text typed under `## Comments` does not. */
export const POSTED_COMMENTS = table('spoken', { entry: text(), at: integer() });

export const postedComments = POSTED_COMMENTS.with((rows) => ({
  add: (entry: string, at: number): void => void rows.insertNew({ entry, at }),
  among: (entries: readonly string[]): Set<string> =>
    new Set(rows.all({ entry: entries }).map(({ entry }) => entry)),
}));

/** A question in a task's file as last observed. It stays while an answer, or that it was taken out, is news for its task. */
export interface QuestionMemory extends TaskQuestion {
  seenAt: number;
  isWithdrawn: boolean; // It was taken out of the file while it was open.
  /** The last answer came while a turn of its task ran, from nobody knows whom: the person, or that turn's agent. */
  isUnsure: boolean;
}

export type OpenQuestion = QuestionMemory & { task: TaskId; name: string; path: string };

export const QUESTIONS = table(
  'questions',
  {
    task: text<TaskId>(),
    key: text(),
    seenAt: integer(),
    facts: json<TaskQuestion>(),
    state: text(), // '' while open, the hash of its answers, or `withdrawn`.
    withdrawn: flag(),
    unsure: flag(),
  },
  {
    key: ['task', 'key'],
    order: 'seen_at, key',
    indexes: { questions_open: "(task) WHERE state = ''" },
    apart: {
      shown: optional(text()), // The state that the turn `shownTurn` was given.
      shownTurn: optional(text()),
      taken: optional(text()), // The state that a turn has dealt with.
    },
  },
);

type QuestionRow = RowOf<typeof QUESTIONS>;

const OPEN = `SELECT ${QUESTIONS.columns('questions')}, tasks.name, tasks.path FROM questions INDEXED BY questions_open JOIN tasks ON tasks.id = questions.task
  WHERE state = '' AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled') ORDER BY questions.seen_at, questions.task, questions.key`;
const NEWS = `WHERE task = ? AND state != '' AND state IS NOT taken ORDER BY seen_at, key`;
const SHOW = `UPDATE questions SET shown = state, shown_turn = ? WHERE task = ? AND state != '' AND state IS NOT taken`;
const SETTLED = `WHERE task = ? AND state != '' AND withdrawn = 0 AND state IS taken`;

function memoryOf({ facts, seenAt, withdrawn, unsure }: QuestionRow): QuestionMemory {
  return { ...facts, seenAt, isWithdrawn: withdrawn, isUnsure: unsure };
}

export const questions = QUESTIONS.with((rows, db) => ({
  of: (task: TaskId) => rows.all({ task }).map(memoryOf),
  put(task: TaskId, { seenAt, isWithdrawn, isUnsure, ...facts }: QuestionMemory): void {
    const state = isWithdrawn ? 'withdrawn' : (facts.answer ?? '');
    const change = { facts, state, withdrawn: isWithdrawn, unsure: isUnsure };
    if (!rows.update([task, facts.key], change)) rows.insert({ task, key: facts.key, seenAt, ...change });
  },
  /** Its answer is no news: it was there when the question was first seen. */
  settle: (task: TaskId, key: string) =>
    db.run('UPDATE questions SET taken = state WHERE task = ? AND key = ?', task, key),
  isWaiting: (task: TaskId) => rows.has({ task, state: '' }),
  open: (): OpenQuestion[] =>
    db.rows<object>(OPEN).map((stored) => {
      const row = QUESTIONS.read(stored) as QuestionRow & Pick<OpenQuestion, 'name' | 'path'>;
      return { ...memoryOf(row), task: row.task, name: row.name, path: row.path };
    }),
  /** Those whose answers are news for the task's next turn. */
  news: (task: TaskId) => rows.all(NEWS, task).map(memoryOf),
  /** Those whose answers a turn has dealt with: hash of the answers by key. */
  settled: (task: TaskId) => new Map(rows.all(SETTLED, task).map(({ key, state }) => [key, state])),
  show: (task: TaskId, turn: string) => db.run(SHOW, turn, task), // This turn is given what is news.
  /** The turn has dealt with what it was given. */
  take(task: TaskId, turn: string): void {
    db.run('UPDATE questions SET taken = shown WHERE task = ? AND shown_turn = ?', task, turn);
    rows.deleteAll('WHERE task = ? AND withdrawn = 1 AND taken = state', task);
  },
}));

// Words that open rights, and who said them; the checks of each turn with their results, and each done that a person
// said without them. A turn's row is written as the turn begins, so that nothing its agent edits can change it.

/** Where words stand that open rights: the checks of `task:<id>`, `chore:<name>`, or `path:<path>` of a task without an id;
 * the whole text of `file:<path>`; to whom `owner:<id>` was handed over, and by whom. */
export type SaidSource = `${'task' | 'chore' | 'path' | 'file' | 'owner'}:${string}`;

/** What opens rights, as a person said it last and as it stands. */
export const SAID_WORDS = table(
  'said_words',
  { source: text<SaidSource>(), said: json<TrustedWords['said']>(), seen: json<TrustedWords['seen']>() },
  { order: 'source' },
);

export const saidWords = SAID_WORDS.with((rows) => ({
  anyHandedOver: () => rows.has("WHERE source >= 'owner:' AND source < 'owner;'"),
  /** What stands there and no person said, by source. */
  unsaid: () => rows.all('WHERE said <> seen ORDER BY source'),
}));

export const TURN_CHECKS = table(
  'turn_checks',
  {
    turn: text<TurnId>(),
    task: text<TaskId>(),
    revision: text(),
    commands: json<string[]>(),
    failures: integer(), // Rounds in a row whose done failed, this turn's included once it has.
    state: text<CheckState>(),
    results: json<CheckResult[]>(), // Of the checks that were run, in order; the last one may have failed.
    beganAt: integer(),
  },
  { indexes: { turn_checks_by_task: '(task, began_at)' } },
);

/** Each time a person said done without checks, and why. */
export const CHECK_WAIVERS = table(
  'check_waivers',
  { task: text(), at: integer(), reason: text() },
  { key: ['task', 'at'] },
);

export type TurnChecks = RowOf<typeof TURN_CHECKS>;
type Waiver = Omit<RowOf<typeof CHECK_WAIVERS>, 'task'>;

const NEWEST = 'ORDER BY began_at DESC, turn DESC LIMIT 1';

export const checks = TURN_CHECKS.with((rows, db) => {
  const waivers = CHECK_WAIVERS.in(db);
  const newest = (task: string) => rows.first(`WHERE task = ? ${NEWEST}`, task);
  return {
    newest,
    before: (task: string, turn: string) => rows.first(`WHERE task = ? AND turn <> ? ${NEWEST}`, task, turn),
    /** Whether the task's file says done, which does not count yet. */
    isHeld: (task: string) => newest(task)?.state === 'held',
    /** Puts the checks of a turn on record; what an earlier turn of the task left held is taken over by it. */
    begin(turn: TurnChecks): void {
      db.run("UPDATE turn_checks SET state = 'open' WHERE task = ? AND state = 'held'", turn.task);
      if (turn.commands.length > 0) rows.insert(turn);
    },
    waive: (task: string, waiver: Waiver) => waivers.put({ ...waiver, task }),
    waiverSince: (task: string, sinceMs: number): Waiver | null =>
      waivers.first('WHERE task = ? AND at >= ? ORDER BY at DESC LIMIT 1', task, sinceMs),
  };
});
