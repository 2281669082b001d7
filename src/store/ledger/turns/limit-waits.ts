// Agents whose turns wait for the end of a usage limit, or for their account to be paid, and the threads of which a person asked to try all the same.
import type { ThreadId } from '../../../core/ids.ts';
import type { LimitWait } from '../../../core/rules/usage-limit.ts';
import type { Database, Row } from '../database.ts';

export interface LimitWaitsTable {
  get(agent: string): LimitWait | null;
  /** Those that are over stay until a turn of the agent shows that they are. */
  list(): (LimitWait & { agent: string })[];
  set(agent: string, wait: LimitWait): void;
  /** With the last wait nothing is left to try all the same. */
  clear(agent: string): void;
  /** The thread's next turn may begin although its agent waits. */
  letPass(thread: ThreadId): void;
  passes(thread: ThreadId): boolean;
}

const SET = `INSERT INTO limit_waits(agent, since, until, times, said) VALUES(?, ?, ?, ?, ?)
  ON CONFLICT(agent) DO UPDATE SET since = excluded.since, until = excluded.until, times = excluded.times,
  said = excluded.said`;

export function createLimitWaitsTable(db: Database): LimitWaitsTable {
  return {
    get(agent) {
      const row = db.prepare('SELECT since, until, times, said FROM limit_waits WHERE agent = ?').get(agent);
      return row === undefined ? null : ({ ...(row as Row) } as unknown as LimitWait);
    },
    list: () =>
      (
        db.prepare('SELECT agent, since, until, times, said FROM limit_waits ORDER BY agent').all() as Row[]
      ).map((row) => ({ ...row }) as unknown as LimitWait & { agent: string }),
    set(agent, { since, until, times, said }) {
      db.prepare(SET).run(agent, since, until, times, said);
    },
    clear(agent) {
      if (db.prepare('DELETE FROM limit_waits WHERE agent = ?').run(agent).changes === 0) return;
      if (db.prepare('SELECT 1 FROM limit_waits').get() === undefined)
        db.prepare('DELETE FROM let_pass').run();
    },
    letPass(thread) {
      db.prepare('INSERT OR IGNORE INTO let_pass(thread) VALUES(?)').run(thread);
    },
    passes: (thread) => db.prepare('SELECT 1 FROM let_pass WHERE thread = ?').get(thread) !== undefined,
  };
}
