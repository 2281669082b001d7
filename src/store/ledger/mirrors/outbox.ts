// What is to be written upstream: intended before the call and taken away together with the record of its answer, so
// that a row that is found later tells of a write that may have happened.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export const OUTBOX_KINDS = ['create', 'update', 'comment', 'edit', 'pull_request'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

export interface OutboxRow {
  id: number;
  provider: string;
  chore: string;
  task: TaskId;
  kind: OutboxKind;
  /** Unique: the same intention again is the same row. */
  key: string;
  /** JSON. */
  payload: string;
  /** How often it was begun. */
  tries: number;
  /** Epoch ms; not tried before. */
  notBefore: number | null;
  lastError: string | null;
  at: number;
}

export interface OutboxTable {
  /**
   * Begins a try: makes the row, or finds the one with that key, whose payload then counts.
   * @returns the row as it was before this try: `tries` counts earlier ones
   */
  begin(row: Pick<OutboxRow, 'provider' | 'chore' | 'task' | 'kind' | 'key' | 'payload' | 'at'>): OutboxRow;
  byKey(key: string): OutboxRow | null;
  /** Oldest first. */
  ofChore(chore: string): OutboxRow[];
  ofTask(task: string): OutboxRow[];
  postpone(id: number, untilMs: number | null, error: string): void;
  delete(id: number): void;
  count(chore: string): number;
}

const COLUMNS = `id, provider, chore, task, kind, key, payload, tries, not_before AS notBefore, last_error AS lastError, at`;

export function createOutboxTable(db: Database): OutboxTable {
  const byKey = (key: string): OutboxRow | null =>
    (db.prepare(`SELECT ${COLUMNS} FROM outbox WHERE key = ?`).get(key) as unknown as
      | OutboxRow
      | undefined) ?? null;
  const rows = (where: string, value: string): OutboxRow[] =>
    db.prepare(`SELECT ${COLUMNS} FROM outbox WHERE ${where} = ? ORDER BY id`).all(value) as never;
  return {
    byKey,
    begin({ provider, chore, task, kind, key, payload, at }) {
      return db.transaction(() => {
        const known = byKey(key);
        if (known) {
          db.prepare('UPDATE outbox SET tries = tries + 1 WHERE id = ?').run(known.id);
          return known;
        }
        const sql = `INSERT INTO outbox(provider, chore, task, kind, key, payload, tries, at) VALUES(?, ?, ?, ?, ?, ?, 1, ?)`;
        db.prepare(sql).run(provider, chore, task, kind, key, payload, Math.trunc(at));
        return { ...byKey(key)!, tries: 0 };
      });
    },
    ofChore: (chore) => rows('chore', chore),
    ofTask: (task) => rows('task', task),
    postpone(id, untilMs, error) {
      db.prepare('UPDATE outbox SET not_before = ?, last_error = ? WHERE id = ?').run(untilMs, error, id);
    },
    delete(id) {
      db.prepare('DELETE FROM outbox WHERE id = ?').run(id);
    },
    count: (chore) =>
      Number((db.prepare('SELECT count(*) AS n FROM outbox WHERE chore = ?').get(chore) as Row).n),
  };
}
