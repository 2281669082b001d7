// What agents told the person: kept until it was shown, and until it went out by the ways the room names.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

/** One message. Times are epoch ms. */
export interface Notice {
  seq: number;
  at: number;
  /** `agent:<id>`, or `person` for a trial of the person's own. */
  author: string;
  turn: TurnId | null;
  task: TaskId | null;
  text: string;
  /** The person has seen it. */
  told: boolean;
  /** When it went out; null while it waits, or where the room names no way. */
  sentAt: number | null;
  tries: number;
  lastError: string | null;
}

export type NewNotice = Pick<Notice, 'at' | 'author' | 'turn' | 'task' | 'text'> & { key: string | null };

export interface NoticesTable {
  /** Keeps a message; the one that is kept already where its key is. */
  add(notice: NewNotice): Notice;
  countOf(turn: TurnId): number;
  /** Newest first. */
  list(filter: { untold?: boolean; limit: number }): Notice[];
  markTold(seqs: readonly number[]): void;
  /** Those the loop has not seen yet, oldest first; each is handed out once. */
  takeNew(): Notice[];
  /** Those to be sent by `nowMs`, oldest first. */
  due(nowMs: number): Notice[];
  /** When the next one waits for its time, epoch ms. */
  nextAt(): number | null;
  sent(seq: number, atMs: number): void;
  /** It stays where it is shown. */
  keep(seq: number): void;
  /** @param notBefore epoch ms; null when it is not tried again */
  failed(seq: number, error: string, notBefore: number | null): void;
  /** Removes what was told before that time. */
  prune(beforeMs: number): void;
}

const COLUMNS = 'seq, at, author, turn, task, text, told, sent_at AS sentAt, tries, last_error AS lastError';

export function createNoticesTable(db: Database): NoticesTable {
  const list = (rest: string, ...values: (string | number)[]) =>
    (db.prepare(`SELECT ${COLUMNS} FROM notices ${rest}`).all(...values) as Row[]).map(noticeOf);
  const number = (sql: string, ...values: (string | number)[]) =>
    (db.prepare(sql).get(...values) as { number: number | null }).number;
  return {
    add({ at, author, turn, task, text, key }) {
      const sql = `INSERT INTO notices(at, author, turn, task, text, key, not_before) VALUES(?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(key) DO UPDATE SET key = excluded.key RETURNING ${COLUMNS}`;
      return noticeOf(db.prepare(sql).get(at, author, turn, task, text, key, at) as Row);
    },
    countOf: (turn) => number('SELECT count(*) AS number FROM notices WHERE turn = ?', turn) ?? 0,
    list: ({ untold, limit }) => list(`${untold ? 'WHERE told = 0' : ''} ORDER BY seq DESC LIMIT ?`, limit),
    markTold(seqs) {
      const sql = 'UPDATE notices SET told = 1 WHERE seq IN (SELECT value FROM json_each(?))';
      db.prepare(sql).run(JSON.stringify(seqs));
    },
    takeNew() {
      return db.transaction(() => {
        const fresh = list('WHERE seen = 0 ORDER BY seq');
        if (fresh.length > 0) db.prepare('UPDATE notices SET seen = 1 WHERE seen = 0').run();
        return fresh;
      });
    },
    due: (nowMs) => list('WHERE sent_at IS NULL AND not_before <= ? ORDER BY seq', nowMs),
    nextAt: () => number('SELECT min(not_before) AS number FROM notices WHERE sent_at IS NULL'),
    sent(seq, atMs) {
      db.prepare('UPDATE notices SET sent_at = ?, last_error = NULL WHERE seq = ?').run(atMs, seq);
    },
    keep(seq) {
      db.prepare('UPDATE notices SET not_before = NULL WHERE seq = ?').run(seq);
    },
    failed(seq, error, notBefore) {
      const sql = 'UPDATE notices SET tries = tries + 1, last_error = ?, not_before = ? WHERE seq = ?';
      db.prepare(sql).run(error, notBefore, seq);
    },
    prune(beforeMs) {
      db.prepare('DELETE FROM notices WHERE told = 1 AND at < ?').run(beforeMs);
    },
  };
}

function noticeOf(row: Row): Notice {
  return { ...row, told: row.told === 1 } as unknown as Notice;
}
