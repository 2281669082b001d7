// Why tasks were paused by somebody else than their person: the runtime that gave up, an agent, a checks' round. A row counts
// while its task is paused.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, type RowOf, table, text } from '../table.ts';

export const PAUSES = table('pauses', {
  task: text<TaskId>(),
  reason: text(),
  /** Epoch ms. */
  at: integer(),
});

export interface Pause extends RowOf<typeof PAUSES> {
  name: string;
  path: string;
}

const LIST = `SELECT pauses.task, tasks.name, tasks.path, pauses.reason, pauses.at FROM pauses JOIN tasks ON tasks.id = pauses.task
  WHERE tasks.paused = 1 AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled')
  ORDER BY pauses.at, pauses.task`;

export function createPausesTable(db: Database) {
  const pauses = PAUSES.in(db);
  return {
    set: (task: TaskId, pause: Pick<Pause, 'reason' | 'at'>) => pauses.put({ task, ...pause }),
    clear: (task: TaskId): void => void pauses.delete(task),
    /** Those of open tasks with a file that are paused, the oldest first. */
    list: () => db.prepare(LIST).all() as unknown as Pause[],
  };
}
