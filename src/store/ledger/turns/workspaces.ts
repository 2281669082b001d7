// The workspace of each task that has one: where it lies, on which branch, and how far its making came. A row is written
// before anything is made, so that what a crash leaves is found.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { flag, initially, integer, optional, type RowOf, table, text } from '../table.ts';

export const WORKSPACES = table('workspaces', {
  task: text<TaskId>(),
  agent: text(),
  /** Absolute paths. */
  project: text(),
  path: text(),
  /** Folder inside it that the agent works in; '' for all of it. */
  prefix: text(),
  branch: text(),
  /** Commit that the branch began at. */
  base: text(),
  /** `making`: nobody worked there yet; `made`: its `after_create` has not passed; `ready`. */
  state: text<'making' | 'made' | 'ready'>(),
  /** Its turns run on other machines: here is only the branch, as it came back last. */
  elsewhere: initially(flag(), false),
  /** Epoch ms. */
  createdAt: integer(),
  /** Why it was kept when its task was archived; null otherwise. */
  kept: optional(text()),
  /** Its address; '' when there was nothing to hand over, null while there is none. */
  pullRequest: optional(text()),
});

export type WorkspaceRow = RowOf<typeof WORKSPACES>;
export type WorkspacesTable = ReturnType<typeof createWorkspacesTable>;

const UNPUBLISHED = `WHERE pull_request IS NULL AND task IN (SELECT m.task FROM mirrors m JOIN tasks t ON t.id = m.task
  WHERE m.chore = ? AND m.state <> 'detached' AND t.status = 'done') ORDER BY created_at`;
const OF_ARCHIVED = 'WHERE task IN (SELECT id FROM tasks WHERE archived IS NOT NULL AND path IS NULL)';

export function createWorkspacesTable(db: Database) {
  const workspaces = WORKSPACES.in(db);
  return {
    get: (task: string) => workspaces.get(task),
    put: (row: WorkspaceRow) => workspaces.put(row),
    update: (task: string, change: Partial<WorkspaceRow>): void => void workspaces.update(task, change),
    delete: (task: string): void => void workspaces.delete(task),
    list: () => workspaces.all('ORDER BY created_at'),
    /** Those whose task lies in the archive. */
    ofArchived: () => workspaces.all(OF_ARCHIVED),
    /** Those of tasks of a chore's mirror that are done and were not handed over yet. */
    unpublished: (chore: string) => workspaces.all(UNPUBLISHED, chore),
  };
}
