// Words from a command to the running daemon: each is taken once.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export type Message =
  | { kind: 'kill'; turn: string }
  /** Only the daemon that is named stops: not the next one, which may find the message. */
  | { kind: 'stop'; now: boolean; pid: number; since: number }
  /** Held tasks may run. */
  | { kind: 'release' }
  /** What counts of the settings and chores is another. */
  | { kind: 'settings' }
  /** Look at these tasks' wakes. */
  | { kind: 'look'; tasks: TaskId[] }
  /** A job was asked for, or is to end. */
  | { kind: 'jobs' }
  /** A run of a chore was asked for. */
  | { kind: 'chores' };

export interface MessagesTable {
  send(message: Message, atMs: number): void;
  /** Takes every message, oldest first. */
  receive(): Message[];
}

export function createMessagesTable(db: Database): MessagesTable {
  return {
    send({ kind, ...payload }, atMs) {
      const sql = 'INSERT INTO messages(at, kind, payload) VALUES(?, ?, ?)';
      db.prepare(sql).run(atMs, kind, JSON.stringify(payload));
    },
    receive() {
      return db.transaction(() => {
        const rows = db.prepare('SELECT seq, kind, payload FROM messages ORDER BY seq').all() as Row[];
        const last = rows.at(-1);
        if (last) db.prepare('DELETE FROM messages WHERE seq <= ?').run(last.seq as number);
        return rows.map((row) => ({ kind: row.kind, ...JSON.parse(row.payload as string) }) as Message);
      });
    },
  };
}
