// Words from a command to the running daemon: each is taken once.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, json, sequence, table } from '../table.ts';

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

export const MESSAGES = table('messages', { seq: sequence(), at: integer(), message: json<Message>() });

export function createMessagesTable(db: Database) {
  const messages = MESSAGES.in(db);
  return {
    send: (message: Message, at: number): void => void messages.insert({ at, message }),
    /** Takes every message, oldest first. */
    receive: (): Message[] =>
      db.transaction(() => {
        const rows = messages.all('ORDER BY seq');
        const last = rows.at(-1);
        if (last !== undefined) messages.deleteAll('WHERE seq <= ?', last.seq);
        return rows.map(({ message }) => message);
      }),
  };
}
