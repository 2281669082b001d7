// Words that open rights, and who said them; the checks of each turn with their results, and each done that a person
// said without them. A turn's row is written as the turn begins, so that nothing its agent edits can change it.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { CheckResult, CheckState } from '../../../core/rules/checks.ts';
import type { SaidWords } from '../../../core/rules/said-words.ts';
import type { Database, Row } from '../database.ts';

/**
 * Where words stand that open rights: the checks of `task:<id>`, `chore:<name>`, or `path:<path>` of a task without an id;
 * the whole text of `file:<path>`; to whom `owner:<id>` was handed over, and by whom.
 */
export type SaidSource = `${'task' | 'chore' | 'path' | 'file' | 'owner'}:${string}`;

export interface TurnChecks {
  turn: TurnId;
  task: TaskId;
  revision: string;
  commands: string[];
  /** Rounds in a row whose done failed, this turn's included once it has. */
  failures: number;
  state: CheckState;
  /** Of the checks that were run, in order; the last one may have failed. */
  results: CheckResult[];
  /** Epoch ms. */
  beganAt: number;
}

export interface Waiver {
  at: number;
  reason: string;
}

export interface ChecksTable {
  /** Null where nothing was ever seen. */
  saidBy(source: SaidSource): SaidWords | null;
  setSaid(source: SaidSource, words: SaidWords): void;
  forgetSaid(source: SaidSource): void;
  /** What stands there and no person said, by source. */
  unsaid(): (SaidWords & { source: SaidSource })[];
  /** Puts the checks of a turn on record; what an earlier turn of the task left held is taken over by it. */
  begin(checks: TurnChecks): void;
  ofTurn(turn: string): TurnChecks | null;
  /** Of the task's newest turn that had checks. */
  newest(task: string): TurnChecks | null;
  /** Of the turn before that one. */
  before(task: string, turn: string): TurnChecks | null;
  settle(
    turn: string,
    change: Pick<TurnChecks, 'state'> & Partial<Pick<TurnChecks, 'failures' | 'results'>>,
  ): void;
  /** Whether the task's file says done, which does not count yet. */
  isHeld(task: string): boolean;
  waive(task: string, waiver: Waiver): void;
  /** The newest one since `sinceMs`. */
  waiverSince(task: string, sinceMs: number): Waiver | null;
  /** Whether a turn of whatever agent ran at any time from `fromMs` to `toMs`. */
  turnRan(fromMs: number, toMs: number): boolean;
  /** Whose. */
  agentsRan(fromMs: number, toMs: number): string[];
  /** Files that were changed before are taken as they are: nobody looked at them then. Epoch ms. */
  readonly looksSinceMs: number;
  forget(turn: string): void;
}

const SELECT = `SELECT turn, task, revision, commands, failures, state, results, began_at AS beganAt FROM turn_checks`;
const NEWEST = `${SELECT} WHERE task = ? ORDER BY began_at DESC, turn DESC LIMIT 1`;
const RAN = `SELECT DISTINCT agent FROM turns WHERE started_at <= ?2 AND (ended_at IS NULL OR ended_at >= ?1)`;

function checksOf(row: Row): TurnChecks {
  const lists = { commands: JSON.parse(row.commands as string), results: JSON.parse(row.results as string) };
  return { ...row, ...lists } as unknown as TurnChecks;
}

export function createChecksTable(db: Database): ChecksTable {
  const one = (sql: string, value: string): TurnChecks | null => {
    const row = db.prepare(sql).get(value) as Row | undefined;
    return row ? checksOf(row) : null;
  };
  const newest = (task: string) => one(NEWEST, task);
  return {
    ...saidWords(db),
    ...waivers(db),
    newest,
    ofTurn: (turn) => one(`${SELECT} WHERE turn = ?`, turn),
    before(task, turn) {
      const sql = `${SELECT} WHERE task = ? AND turn <> ? ORDER BY began_at DESC, turn DESC LIMIT 1`;
      const row = db.prepare(sql).get(task, turn) as Row | undefined;
      return row ? checksOf(row) : null;
    },
    isHeld: (task) => newest(task)?.state === 'held',
    begin({ turn, task, revision, commands, failures, state, results, beganAt }) {
      db.prepare("UPDATE turn_checks SET state = 'open' WHERE task = ? AND state = 'held'").run(task);
      if (commands.length === 0) return;
      const sql = `INSERT INTO turn_checks(turn, task, revision, commands, failures, state, results, began_at)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?)`;
      const lists = [JSON.stringify(commands), failures, state, JSON.stringify(results)];
      db.prepare(sql).run(turn, task, revision, ...lists, beganAt);
    },
    settle(turn, { state, failures, results }) {
      const sql = `UPDATE turn_checks SET state = ?, failures = coalesce(?, failures), results = coalesce(?, results)
        WHERE turn = ?`;
      db.prepare(sql).run(state, failures ?? null, results ? JSON.stringify(results) : null, turn);
    },
    turnRan: (fromMs, toMs) => db.prepare(RAN).get(Math.floor(fromMs), Math.ceil(toMs)) !== undefined,
    agentsRan(fromMs, toMs) {
      const rows = db.prepare(RAN).all(Math.floor(fromMs), Math.ceil(toMs)) as Row[];
      return rows.map(({ agent }) => agent as string);
    },
    get looksSinceMs() {
      const row = db.prepare("SELECT value FROM meta WHERE key = 'rights.since'").get() as Row | undefined;
      return Number(row?.value ?? 0);
    },
    forget: (turn) => void db.prepare('DELETE FROM turn_checks WHERE turn = ?').run(turn),
  };
}

function saidWords(db: Database): Pick<ChecksTable, 'saidBy' | 'setSaid' | 'forgetSaid' | 'unsaid'> {
  const wordsOf = ({ said, seen }: Row): SaidWords => ({
    said: JSON.parse(said as string),
    seen: JSON.parse(seen as string),
  });
  return {
    saidBy(source) {
      const sql = 'SELECT said, seen FROM said_words WHERE source = ?';
      const row = db.prepare(sql).get(source) as Row | undefined;
      return row ? wordsOf(row) : null;
    },
    setSaid(source, { said, seen }) {
      const sql = `INSERT INTO said_words(source, said, seen) VALUES(?, ?, ?)
        ON CONFLICT(source) DO UPDATE SET said = excluded.said, seen = excluded.seen`;
      db.prepare(sql).run(source, JSON.stringify(said), JSON.stringify(seen));
    },
    forgetSaid: (source) => void db.prepare('DELETE FROM said_words WHERE source = ?').run(source),
    unsaid() {
      const rows = db
        .prepare('SELECT source, said, seen FROM said_words WHERE said <> seen ORDER BY source')
        .all() as Row[];
      return rows.map((row) => ({ source: row.source as SaidSource, ...wordsOf(row) }));
    },
  };
}

function waivers(db: Database): Pick<ChecksTable, 'waive' | 'waiverSince'> {
  return {
    waive(task, { at, reason }) {
      db.prepare('INSERT OR REPLACE INTO check_waivers(task, at, reason) VALUES(?, ?, ?)').run(
        task,
        at,
        reason,
      );
    },
    waiverSince(task, sinceMs) {
      const sql = 'SELECT at, reason FROM check_waivers WHERE task = ? AND at >= ? ORDER BY at DESC LIMIT 1';
      return (db.prepare(sql).get(task, sinceMs) as Waiver | undefined) ?? null;
    },
  };
}
