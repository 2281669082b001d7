// The workspace of each task that has one: where it lies, on which branch, and how far its making came. A row is written
// before anything is made, so that what a crash leaves is found.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface WorkspaceRow {
  task: TaskId;
  agent: string;
  /** Absolute paths. */
  project: string;
  path: string;
  /** Folder inside it that the agent works in; '' for all of it. */
  prefix: string;
  branch: string;
  /** Commit that the branch began at. */
  base: string;
  /** `making`: nobody worked there yet; `made`: its `after_create` has not passed; `ready`. */
  state: 'making' | 'made' | 'ready';
  /** Its turns run on other machines: here is only the branch, as it came back last. */
  elsewhere: boolean;
  /** Epoch ms. */
  createdAt: number;
  /** Why it was kept when its task was archived; null otherwise. */
  kept: string | null;
  /** Its address; '' when there was nothing to hand over, null while there is none. */
  pullRequest: string | null;
}

export interface WorkspacesTable {
  get(task: string): WorkspaceRow | null;
  put(row: WorkspaceRow): void;
  update(task: string, change: Partial<Pick<WorkspaceRow, 'state' | 'path' | 'kept' | 'pullRequest'>>): void;
  delete(task: string): void;
  list(): WorkspaceRow[];
  /** Those whose task lies in the archive. */
  ofArchived(): WorkspaceRow[];
  /** Those of tasks of a chore's mirror that are done and were not handed over yet. */
  unpublished(chore: string): WorkspaceRow[];
}

const SELECT = `SELECT task, agent, project, path, prefix, branch, base, state, elsewhere, created_at AS createdAt, kept,
  pull_request AS pullRequest FROM workspaces`;

const COLUMNS: Readonly<Record<string, string>> = { pullRequest: 'pull_request' };
const UNPUBLISHED = `${SELECT} WHERE pull_request IS NULL AND task IN (SELECT m.task FROM mirrors m JOIN tasks t ON t.id = m.task
  WHERE m.chore = ? AND m.state <> 'detached' AND t.status = 'done') ORDER BY created_at`;

export function createWorkspacesTable(db: Database): WorkspacesTable {
  const rowOf = (row: Row) => ({ ...row, elsewhere: Boolean(row.elsewhere) }) as unknown as WorkspaceRow;
  const all = (sql: string, ...values: string[]) => (db.prepare(sql).all(...values) as Row[]).map(rowOf);
  return {
    get: (task) => all(`${SELECT} WHERE task = ?`, task)[0] ?? null,
    put(row) {
      const { task, agent, project, path, prefix, branch, base, state, createdAt, kept, pullRequest } = row;
      const sql = `INSERT OR REPLACE INTO workspaces(task, agent, project, path, prefix, branch, base, state, elsewhere, created_at,
        kept, pull_request)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
      const where = [task, agent, project, path, prefix, branch, base, state];
      db.prepare(sql).run(...where, Number(row.elsewhere), createdAt, kept, pullRequest);
    },
    update(task, change) {
      for (const [key, value] of Object.entries(change))
        db.prepare(`UPDATE workspaces SET ${COLUMNS[key] ?? key} = ? WHERE task = ?`).run(value, task);
    },
    delete: (task) => void db.prepare('DELETE FROM workspaces WHERE task = ?').run(task),
    list: () => all(`${SELECT} ORDER BY created_at`),
    ofArchived: () =>
      all(`${SELECT} WHERE task IN (SELECT id FROM tasks WHERE archived IS NOT NULL AND path IS NULL)`),
    unpublished: (chore) => all(UNPUBLISHED, chore),
  };
}
