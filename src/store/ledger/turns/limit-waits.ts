// Agents whose turns wait for the end of a usage limit, or for their account to be paid, and the threads of which a person asked to try all the same.
import type { ThreadId } from '../../../core/ids.ts';
import type { LimitWait } from '../../../core/rules/usage-limit.ts';
import type { Database } from '../database.ts';
import { integer, optional, table, text } from '../table.ts';

export const LIMIT_WAITS = table('limit_waits', {
  agent: text(),
  since: integer(),
  until: integer(),
  times: integer(),
  /** The agent's words where only the person can end the wait: its account must be paid. */
  said: optional(text()),
});
/** Their next turn may begin although its agent waits. */
export const LET_PASS = table('let_pass', { thread: text<ThreadId>() });

export function createLimitWaitsTable(db: Database) {
  const waits = LIMIT_WAITS.in(db);
  const passing = LET_PASS.in(db);
  return {
    get: (agent: string): LimitWait | null => waits.get(agent),
    /** Those that are over stay until a turn of the agent shows that they are. */
    list: () => waits.all('ORDER BY agent'),
    set: (agent: string, wait: LimitWait) => waits.put({ agent, ...wait }),
    /** With the last wait nothing is left to try all the same. */
    clear(agent: string): void {
      if (waits.delete(agent) && waits.count('') === 0) passing.deleteAll('');
    },
    letPass: (thread: ThreadId): void => void passing.insertNew({ thread }),
    passes: (thread: ThreadId) => passing.get(thread) !== null,
  };
}
