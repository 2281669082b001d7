// Conflicts of mirrors: for each, the text that lost and the text that stands, until the person settles it. A conflict is
// written down before the file is, and counts once the file is known to say what stands.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';

/** How a conflict ended; `by_hand`: the field was edited since. */
export type SettledBy = 'standing' | 'lost' | 'own' | 'by_hand';

/** One row of `conflicts`. Times are epoch ms. */
export interface ConflictRow {
  id: number;
  task: TaskId;
  /** `title`, `blocked_by`, `comments`, … */
  field: string;
  /** Of a comment: its id in the file. */
  entry: string | null;
  lostSide: 'local' | 'remote';
  lost: string;
  /** What the file said of the field when that was last dealt with. */
  stands: string;
  /** Where the text that lost lies, relative to the room. */
  kept: string | null;
  at: number;
  /** 0 until the file is known to say what stands. */
  sure: number;
  settled: SettledBy | null;
  settledText: string | null;
  settledAt: number | null;
}

export type NewConflict = Pick<
  ConflictRow,
  'task' | 'field' | 'entry' | 'lostSide' | 'lost' | 'stands' | 'kept' | 'at'
>;

export interface ConflictsTable {
  /** One that counts once it is sure; the same one again is the same row. @returns its id */
  intend(conflict: NewConflict): number;
  confirm(id: number): void;
  /** It did not come to be. */
  drop(id: number): void;
  /** The file says something else of the field by now. */
  stands(id: number, text: string): void;
  get(id: number): ConflictRow | null;
  /** Of one task, open ones, sure or not, oldest first. */
  ofTask(task: string): ConflictRow[];
  /** All that are open and sure, oldest first. */
  open(): ConflictRow[];
  /** Once: false when it was settled before, unless by an edit. */
  settle(id: number, by: SettledBy, text: string, at: number): boolean;
  /** Forgets what was settled before that. */
  prune(before: number): void;
}

const SELECT = `SELECT id, task, field, entry, lost_side AS lostSide, lost, stands, kept, at, sure, settled,
  settled_text AS settledText, settled_at AS settledAt FROM conflicts`;
const SAME = `${SELECT} WHERE task = ? AND settled IS NULL AND field = ? AND entry IS ? AND lost_side = ? AND lost = ?
  AND stands = ?`;

/** Of the ledger; few commands load it. */
export function conflictsIn({ database: db }: { database: Database }): ConflictsTable {
  const rows = (sql: string, ...values: (string | number | null)[]) =>
    (db.prepare(sql).all(...values) as object[]).map((row) => ({ ...row }) as ConflictRow);
  const run = (sql: string, ...values: (string | number | null)[]) => db.prepare(sql).run(...values);
  return {
    intend({ task, field, entry, lostSide, lost, stands, kept, at }) {
      const [same] = rows(SAME, task, field, entry, lostSide, lost, stands);
      if (same !== undefined) return same.id;
      const sql = `INSERT INTO conflicts(task, field, entry, lost_side, lost, stands, kept, at, sure)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, 0)`;
      return Number(
        run(sql, task, field, entry, lostSide, lost, stands, kept, Math.trunc(at)).lastInsertRowid,
      );
    },
    confirm: (id) => void run('UPDATE conflicts SET sure = 1 WHERE id = ?', id),
    drop: (id) => void run('DELETE FROM conflicts WHERE id = ? AND sure = 0', id),
    stands: (id, text) => void run('UPDATE conflicts SET stands = ? WHERE id = ?', text, id),
    get: (id) => rows(`${SELECT} WHERE id = ? AND sure = 1`, id)[0] ?? null,
    ofTask: (task) => rows(`${SELECT} WHERE task = ? AND settled IS NULL ORDER BY id`, task),
    open: () => rows(`${SELECT} WHERE settled IS NULL AND sure = 1 ORDER BY id`),
    settle(id, by, text, at) {
      const sql = `UPDATE conflicts SET settled = ?, settled_text = ?, settled_at = ?
        WHERE id = ? AND (settled IS NULL OR settled = 'by_hand')`;
      return run(sql, by, text, Math.trunc(at), id).changes === 1;
    },
    prune: (before) => void run('DELETE FROM conflicts WHERE settled_at < ?', Math.trunc(before)),
  };
}
