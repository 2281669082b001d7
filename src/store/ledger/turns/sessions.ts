// The session of each agent on each thread: an agent that takes over another's turn neither gets nor replaces that one's.
import type { ThreadId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { table, text } from '../table.ts';

export const SESSIONS = table(
  'sessions',
  { thread: text<ThreadId>(), agent: text(), session: text() },
  { key: ['thread', 'agent'] },
);

export function createSessionsTable(db: Database) {
  const sessions = SESSIONS.in(db);
  return {
    /** The id by which the agent resumes what it did on the thread; null for none. */
    get: (thread: ThreadId, agent: string) => sessions.get(thread, agent)?.session ?? null,
    /** Null lets the agent start afresh. */
    set(thread: ThreadId, agent: string, session: string | null): void {
      if (session === null) sessions.delete(thread, agent);
      else sessions.put({ thread, agent, session });
    },
  };
}
