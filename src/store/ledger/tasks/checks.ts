// Checks: what files say of them and who said it, those of each turn with their results, and each done that a person
// said without them. A turn's row is written as the turn begins, so that nothing its agent edits can change it.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { CheckResult, CheckState } from '../../../core/rules/checks.ts';
import type { Database, Row } from '../database.ts';

/** The file that names checks: `task:<id>`, `agent:<id>`, `chore:<name>`; `path:<path>` of a task without an id. */
export type CheckSource = `${'task' | 'agent' | 'chore' | 'path'}:${string}`;

export interface SaidChecks {
  /** As a person wrote them last. */
  said: string[];
  /** As they stood in the file last, whoever wrote that. */
  seen: string[];
}

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
  saidBy(source: CheckSource): SaidChecks | null;
  setSaid(source: CheckSource, checks: SaidChecks): void;
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
  forget(turn: string): void;
}

const SELECT = `SELECT turn, task, revision, commands, failures, state, results, began_at AS beganAt FROM turn_checks`;
const NEWEST = `${SELECT} WHERE task = ? ORDER BY began_at DESC, turn DESC LIMIT 1`;
const RAN = `SELECT 1 FROM turns WHERE started_at <= ?2 AND (ended_at IS NULL OR ended_at >= ?1) LIMIT 1`;

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
    ...saidChecks(db),
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
    forget: (turn) => void db.prepare('DELETE FROM turn_checks WHERE turn = ?').run(turn),
  };
}

function saidChecks(db: Database): Pick<ChecksTable, 'saidBy' | 'setSaid' | 'waive' | 'waiverSince'> {
  return {
    saidBy(source) {
      const row = db.prepare('SELECT said, seen FROM said_checks WHERE source = ?').get(source) as
        | Row
        | undefined;
      return row ? { said: JSON.parse(row.said as string), seen: JSON.parse(row.seen as string) } : null;
    },
    setSaid(source, { said, seen }) {
      const sql = `INSERT INTO said_checks(source, said, seen) VALUES(?, ?, ?)
        ON CONFLICT(source) DO UPDATE SET said = excluded.said, seen = excluded.seen`;
      db.prepare(sql).run(source, JSON.stringify(said), JSON.stringify(seen));
    },
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
