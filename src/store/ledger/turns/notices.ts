// What agents told the person: kept until it was shown, and until it went out by the ways the room names.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

/** One message. Times are epoch ms. */
export interface Notice {
  seq: number;
  at: number;
  /** `notice` for what an agent told, else the kind of a thing of the inbox that was told. */
  kind: string;
  /** `agent:<id>`, `taskroom`, or `person` for a trial of the person's own. */
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

/** A thing of the inbox, as far as it is told. */
export interface InboxThing {
  kind: string;
  /** The same for the same thing. */
  key: string;
  task: TaskId | null;
  text: string;
  settle: string;
}

export interface NoticesTable {
  /** Keeps a message; the one that is kept already where its key is. */
  add(notice: NewNotice): Notice;
  /**
   * Takes in what is in the inbox now: what is new is told once, what is gone is forgotten. Of very many at once one line is told.
   * @param isChosen whether things of a kind go out
   * @returns how many are to be sent
   */
  takeIn(items: readonly InboxThing[], nowMs: number, isChosen: (kind: string) => boolean): number;
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

const COLUMNS =
  'seq, at, kind, author, turn, task, text, told, sent_at AS sentAt, tries, last_error AS lastError';

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
    takeIn: (items, nowMs, isChosen) => db.transaction(() => takeIn(db, items, nowMs, isChosen)),
    list: ({ untold, limit }) =>
      list(`WHERE kind = 'notice' ${untold ? 'AND told = 0' : ''} ORDER BY seq DESC LIMIT ?`, limit),
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
      db.prepare("DELETE FROM notices WHERE kind = 'notice' AND told = 1 AND at < ?").run(beforeMs);
    },
  };
}

// More at once than anybody reads one by one.
const MOST_AT_ONCE = 10;
const ADD_THING = `INSERT INTO notices(at, kind, author, task, text, key, seen, told, not_before)
  VALUES(?, ?, 'taskroom', ?, ?, ?, 1, 1, ?)`;
// A line that stands for many goes once it was sent.
const FORGET_GONE = `DELETE FROM notices WHERE kind != 'notice' AND key NOT IN (SELECT value FROM json_each(?))
  AND (kind != 'inbox' OR sent_at IS NOT NULL OR not_before IS NULL)`;

function takeIn(
  db: Database,
  items: readonly InboxThing[],
  nowMs: number,
  isChosen: (kind: string) => boolean,
): number {
  const things = items.filter(({ kind }) => kind !== 'notice');
  const keys = JSON.stringify(things.map(({ key }) => key));
  db.prepare(FORGET_GONE).run(keys);
  const known = new Set(
    (
      db.prepare('SELECT key FROM notices WHERE key IN (SELECT value FROM json_each(?))').all(keys) as Row[]
    ).map((row) => row.key as string),
  );
  const fresh = things.filter(({ key }) => !known.has(key));
  const chosen = fresh.filter(({ kind }) => isChosen(kind));
  const isMany = chosen.length > MOST_AT_ONCE;
  const at = Math.trunc(nowMs);
  for (const { kind, key, task, text, settle } of fresh) {
    const notBefore = isMany || !isChosen(kind) ? null : at;
    db.prepare(ADD_THING).run(at, kind, task, `${text}\n${settle}`, key, notBefore);
  }
  if (!isMany) return chosen.length;
  const text = `${chosen.length} things need you\ntaskroom inbox`;
  db.prepare(ADD_THING).run(at, 'inbox', null, text, `inbox:${chosen[0]!.key}`, at);
  return 1;
}

function noticeOf(row: Row): Notice {
  return { ...row, told: row.told === 1 } as unknown as Notice;
}
