// Changes of several files that are to be made all or not at all: what each file is to become is on record before the first
// is touched, so that a crash in the middle is finished or taken back.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

/** As `Append` of the writer. */
interface BulkEntry {
  section: 'Progress' | 'Outcome' | 'Comments' | 'Questions';
  block: string;
  key?: string;
}

/** What becomes of one file. */
export type BulkItem =
  | { do: 'create'; path: string; task: TaskId; text: string }
  | {
      do: 'change';
      path: string;
      task: TaskId;
      /** The file had none: it gets that of `task`. */
      givesId: boolean;
      before: string;
      after: string;
      append: readonly BulkEntry[];
    }
  | { do: 'delete'; path: string; task: TaskId | null };

/**
 * `do`: its files are being written; `undo`: that is being taken back; `rest`: all are written, what is deleted and said
 * follows; `done`: kept for a repeat of its key.
 */
type BulkState = 'do' | 'undo' | 'rest' | 'done';

export interface Bulk {
  seq: number;
  key: string | null;
  /** As `nameOfActor` says it. */
  actor: string;
  state: BulkState;
  items: readonly BulkItem[];
  /** What whoever asked is told, as JSON text. */
  result: string;
}

export interface BulksTable {
  /** @returns its number */
  add(bulk: Omit<Bulk, 'seq' | 'state'>, atMs: number): number;
  setState(seq: number, state: 'undo' | 'rest'): void;
  /** Its texts are not kept longer than they are needed. */
  finish(seq: number, result: string): void;
  drop(seq: number): void;
  byKey(key: string): Bulk | null;
  /** Whether any is not done. */
  hasOpen(): boolean;
  /** Those, oldest first. */
  open(): Bulk[];
  prune(beforeMs: number): void;
}

const SELECT = 'SELECT seq, key, actor, state, items, result FROM bulks';

export function createBulksTable(db: Database): BulksTable {
  return {
    add({ key, actor, items, result }, atMs) {
      const sql = "INSERT INTO bulks(key, at, actor, state, items, result) VALUES(?, ?, ?, 'do', ?, ?)";
      const { lastInsertRowid } = db
        .prepare(sql)
        .run(key, Math.trunc(atMs), actor, JSON.stringify(items), result);
      return Number(lastInsertRowid);
    },
    setState(seq, state) {
      db.prepare('UPDATE bulks SET state = ? WHERE seq = ?').run(state, seq);
    },
    finish(seq, result) {
      const sql = "UPDATE bulks SET state = 'done', items = '[]', result = ? WHERE seq = ?";
      db.prepare(sql).run(result, seq);
    },
    drop(seq) {
      db.prepare('DELETE FROM bulks WHERE seq = ?').run(seq);
    },
    byKey(key) {
      const row = db.prepare(`${SELECT} WHERE key = ?`).get(key) as Row | undefined;
      return row === undefined ? null : bulkOf(row);
    },
    hasOpen: () => db.prepare("SELECT 1 FROM bulks WHERE state <> 'done' LIMIT 1").get() !== undefined,
    open: () => (db.prepare(`${SELECT} WHERE state <> 'done' ORDER BY seq`).all() as Row[]).map(bulkOf),
    prune(beforeMs) {
      db.prepare("DELETE FROM bulks WHERE state = 'done' AND at < ?").run(Math.trunc(beforeMs));
    },
  };
}

function bulkOf(row: Row): Bulk {
  return { ...row, items: JSON.parse(row.items as string) } as unknown as Bulk;
}
