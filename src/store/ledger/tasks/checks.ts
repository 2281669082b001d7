// Words that open rights, and who said them; the checks of each turn with their results, and each done that a person
// said without them. A turn's row is written as the turn begins, so that nothing its agent edits can change it.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { CheckResult, CheckState } from '../../../core/rules/checks.ts';
import type { SaidWords } from '../../../core/rules/said-words.ts';
import type { Database } from '../database.ts';
import { integer, json, type RowOf, table, text } from '../table.ts';

/**
 * Where words stand that open rights: the checks of `task:<id>`, `chore:<name>`, or `path:<path>` of a task without an id;
 * the whole text of `file:<path>`; to whom `owner:<id>` was handed over, and by whom.
 */
export type SaidSource = `${'task' | 'chore' | 'path' | 'file' | 'owner'}:${string}`;

/** What opens rights, as a person said it last and as it stands. */
export const SAID_WORDS = table('said_words', {
  source: text<SaidSource>(),
  said: json<SaidWords['said']>(),
  seen: json<SaidWords['seen']>(),
});

export const TURN_CHECKS = table(
  'turn_checks',
  {
    turn: text<TurnId>(),
    task: text<TaskId>(),
    revision: text(),
    commands: json<string[]>(),
    /** Rounds in a row whose done failed, this turn's included once it has. */
    failures: integer(),
    state: text<CheckState>(),
    /** Of the checks that were run, in order; the last one may have failed. */
    results: json<CheckResult[]>(),
    /** Epoch ms. */
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
export type Waiver = Omit<RowOf<typeof CHECK_WAIVERS>, 'task'>;

const RAN = `SELECT DISTINCT agent FROM turns WHERE started_at <= ?2 AND (ended_at IS NULL OR ended_at >= ?1)`;

export function createChecksTable(db: Database) {
  const said = SAID_WORDS.in(db);
  const waivers = CHECK_WAIVERS.in(db);
  const checks = TURN_CHECKS.in(db);
  /** Of the task's newest turn that had checks. */
  const newest = (task: string) =>
    checks.first('WHERE task = ? ORDER BY began_at DESC, turn DESC LIMIT 1', task);
  return {
    newest,
    /** Null where nothing was ever seen. */
    saidBy: (source: SaidSource): SaidWords | null => said.get(source),
    /** Whether any task was handed over to an owner that waits for a person. */
    anyHandedOver: () => said.first("WHERE source >= 'owner:' AND source < 'owner;'") !== null,
    setSaid: (source: SaidSource, words: SaidWords) => said.put({ ...words, source }),
    forgetSaid: (source: SaidSource): void => void said.delete(source),
    /** What stands there and no person said, by source. */
    unsaid: () => said.all('WHERE said <> seen ORDER BY source'),
    ofTurn: (turn: string) => checks.get(turn),
    /** Of the turn before that one. */
    before: (task: string, turn: string) =>
      checks.first('WHERE task = ? AND turn <> ? ORDER BY began_at DESC, turn DESC LIMIT 1', task, turn),
    /** Whether the task's file says done, which does not count yet. */
    isHeld: (task: string) => newest(task)?.state === 'held',
    /** Puts the checks of a turn on record; what an earlier turn of the task left held is taken over by it. */
    begin(turn: TurnChecks): void {
      db.prepare("UPDATE turn_checks SET state = 'open' WHERE task = ? AND state = 'held'").run(turn.task);
      if (turn.commands.length > 0) checks.insert(turn);
    },
    settle: (
      turn: string,
      change: Pick<TurnChecks, 'state'> & Partial<Pick<TurnChecks, 'failures' | 'results'>>,
    ): void => void checks.update(turn, change),
    waive: (task: string, waiver: Waiver) => waivers.put({ ...waiver, task }),
    /** The newest one since `sinceMs`. */
    waiverSince: (task: string, sinceMs: number): Waiver | null =>
      waivers.first('WHERE task = ? AND at >= ? ORDER BY at DESC LIMIT 1', task, sinceMs),
    /** Whether a turn of whatever agent ran at any time from `fromMs` to `toMs`. */
    turnRan: (fromMs: number, toMs: number) =>
      db.prepare(RAN).get(Math.floor(fromMs), Math.ceil(toMs)) !== undefined,
    /** Whose. */
    agentsRan: (fromMs: number, toMs: number) => db.column<string>(RAN, Math.floor(fromMs), Math.ceil(toMs)),
    forget: (turn: string): void => void checks.delete(turn),
  };
}
