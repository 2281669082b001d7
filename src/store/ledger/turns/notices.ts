// What agents told the person: kept until it was shown, and until it went out by the ways the room names. And words from
// commands to the running daemon. Times are epoch ms.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { RowOf } from '../table.ts';
import { flag, initially, integer, json, optional, sequence, table, text, unique } from '../table.ts';

export const NOTICES = table(
  'notices',
  {
    seq: sequence(),
    at: integer(),
    /** `notice` for what an agent told, else the kind of a thing of the inbox. */
    kind: initially(text(), 'notice'),
    author: text(), // `agent:<id>`, `taskroom`, or `person` for a trial of the person's own.
    turn: optional(text<TurnId>()),
    task: optional(text<TaskId>()),
    text: text(),
    told: initially(flag(), false), // The person has seen it.
    sentAt: optional(integer()), // When it went out; null while it waits, or where the room names no way.
    tries: initially(integer(), 0),
    lastError: optional(text()),
  },
  {
    indexes: {
      notices_unseen: '(seq) WHERE seen = 0',
      notices_untold: '(seq) WHERE told = 0',
      notices_unsent: '(not_before) WHERE sent_at IS NULL',
      notices_by_turn: '(turn) WHERE turn IS NOT NULL',
    },
    apart: {
      key: optional(unique(text())),
      seen: initially(flag(), false),
      notBefore: optional(integer()), // When it goes out; null for never.
    },
  },
);

export type Notice = RowOf<typeof NOTICES>;
type NewNotice = Pick<Notice, 'at' | 'author' | 'turn' | 'task' | 'text'> & { key: string | null };
export type InboxThing = { kind: string; key: string; task: TaskId | null; text: string; settle: string };

const MOST_AT_ONCE = 10; // More at once than anybody reads one by one.
// A line that stands for many goes once it was sent.
const GONE = `WHERE kind != 'notice' AND key NOT IN (SELECT value FROM json_each(?))
  AND (kind != 'inbox' OR sent_at IS NOT NULL OR not_before IS NULL)`;
const KNOWN = 'SELECT key FROM notices WHERE key IN (SELECT value FROM json_each(?))';

export const notices = NOTICES.with((rows, db) => ({
  /** Keeps a message; returns the one with its key where that is kept already. */
  add: (notice: NewNotice): Notice =>
    db.transaction(() => {
      const known = notice.key === null ? null : rows.first({ key: notice.key });
      return known ?? rows.get(rows.insert({ ...notice, notBefore: notice.at }))!;
    }),
  /** Takes in what is in the inbox now: what is new is told once, what is gone is forgotten. Of very many at once one line is told.
   * @param isChosen whether things of a kind go out
   * @returns how many are to be sent */
  takeIn: (items: readonly InboxThing[], nowMs: number, isChosen: (kind: string) => boolean) =>
    db.transaction(() => {
      const things = items.filter(({ kind }) => kind !== 'notice');
      const keys = JSON.stringify(things.map(({ key }) => key));
      rows.deleteAll(GONE, keys);
      const known = new Set(db.column<string>(KNOWN, keys));
      const fresh = things.filter(({ key }) => !known.has(key));
      const chosen = fresh.filter(({ kind }) => isChosen(kind));
      const isMany = chosen.length > MOST_AT_ONCE;
      const told = { at: nowMs, author: 'taskroom', seen: true, told: true };
      for (const { kind, key, task, text, settle } of fresh) {
        const notBefore = isMany || !isChosen(kind) ? null : nowMs;
        rows.insert({ ...told, kind, key, task, text: `${text}\n${settle}`, notBefore });
      }
      if (!isMany) return chosen.length;
      const text = `${chosen.length} things need you\ntaskroom inbox`;
      rows.insert({ ...told, kind: 'inbox', key: `inbox:${chosen[0]!.key}`, text, notBefore: nowMs });
      return 1;
    }),
  list: ({ untold, limit }: { untold?: boolean; limit: number }) =>
    rows.all(`WHERE kind = 'notice' ${untold ? 'AND told = 0' : ''} ORDER BY seq DESC LIMIT ?`, limit),
  /** Those the loop has not seen yet, oldest first; each is handed out once. */
  takeNew: (): Notice[] =>
    db.transaction(() => {
      const fresh = rows.all('WHERE seen = 0 ORDER BY seq');
      if (fresh.length > 0) db.run('UPDATE notices SET seen = 1 WHERE seen = 0');
      return fresh;
    }),
  due: (nowMs: number) => rows.all('WHERE sent_at IS NULL AND not_before <= ? ORDER BY seq', nowMs),
  nextAt: () =>
    db.column<number | null>('SELECT min(not_before) FROM notices WHERE sent_at IS NULL')[0] ?? null,
  /** @param notBefore null when it is not tried again */
  failed(seq: number, error: string, notBefore: number | null): void {
    const sql = 'UPDATE notices SET tries = tries + 1, last_error = ?, not_before = ? WHERE seq = ?';
    db.run(sql, error, notBefore, seq);
  },
  prune: (beforeMs: number) => rows.deleteAll("WHERE kind = 'notice' AND told = 1 AND at < ?", beforeMs),
}));

/** From a command to the running daemon: each is taken once. */
export type Message =
  | { kind: 'kill'; turn: string }
  /** Only the daemon that is named stops: not the next one, which may find the message. */
  | { kind: 'stop'; now: boolean; pid: number; since: number }
  | { kind: 'release' }
  /** What counts of the settings and chores is another. */
  | { kind: 'settings' }
  /** Look at these tasks' wakes. */
  | { kind: 'look'; tasks: TaskId[] }
  /** A job was asked for, or is to end. */
  | { kind: 'jobs' }
  | { kind: 'chores' };

export const MESSAGES = table('messages', { seq: sequence(), at: integer(), message: json<Message>() });

export const messages = MESSAGES.with((rows, db) => ({
  send: (message: Message, at: number): void => void rows.insert({ at, message }),
  receive: (): Message[] =>
    db.transaction(() => {
      const found = rows.all('ORDER BY seq');
      const last = found.at(-1);
      if (last !== undefined) rows.deleteAll('WHERE seq <= ?', last.seq);
      return found.map(({ message }) => message);
    }),
}));
