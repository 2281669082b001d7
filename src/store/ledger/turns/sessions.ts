// The session of each agent on each thread: an agent that takes over another's turn neither gets nor replaces that one's.
import type { ThreadId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface SessionsTable {
  /** The id by which the agent resumes what it did on the thread; null for none. */
  get(thread: ThreadId, agent: string): string | null;
  /** Null lets the agent start afresh. */
  set(thread: ThreadId, agent: string, session: string | null): void;
}

const SET = `INSERT INTO sessions(thread, agent, session) VALUES(?, ?, ?)
  ON CONFLICT(thread, agent) DO UPDATE SET session = excluded.session`;

export function createSessionsTable(db: Database): SessionsTable {
  return {
    get(thread, agent) {
      const sql = 'SELECT session FROM sessions WHERE thread = ? AND agent = ?';
      const row = db.prepare(sql).get(thread, agent) as Row | undefined;
      return row === undefined ? null : (row.session as string);
    },
    set(thread, agent, session) {
      if (session === null)
        db.prepare('DELETE FROM sessions WHERE thread = ? AND agent = ?').run(thread, agent);
      else db.prepare(SET).run(thread, agent, session);
    },
  };
}
