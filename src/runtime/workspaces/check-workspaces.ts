// The workspaces of a room for `doctor`: how many there are and how much they hold, and those that were kept.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { tidyOwnFolders } from '../../tasks/agent-folder.ts';
import type { Finding } from '../../tasks/doctor/doctor.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export async function checkWorkspaces(deps: TaskRoom): Promise<Omit<Finding, 'name'>[]> {
  return [...ownFolders(deps), ...(await checkWorktrees(deps))];
}

/** What agents without `cwd` left behind is theirs alone: it is told, and never removed. */
function ownFolders(deps: TaskRoom): Omit<Finding, 'name'>[] {
  const kept = tidyOwnFolders(deps, () => true);
  if (kept.length === 0) return [];
  const one = kept.length === 1;
  const text = `${one ? 'a folder' : `${kept.length} folders`} of agents without "cwd" ${one ? 'holds' : 'hold'} files, in ${dirname(kept[0]!)}`;
  return [{ state: 'ok', text, hint: null }];
}

async function checkWorktrees({ ledger }: TaskRoom): Promise<Omit<Finding, 'name'>[]> {
  const rows = ledger.workspaces.list();
  if (rows.length === 0) return [];
  const sizes = await Promise.all(rows.map(({ path }) => sizeOf(path)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const count = `${rows.length} ${rows.length === 1 ? 'workspace' : 'workspaces'}`;
  const found: Omit<Finding, 'name'>[] = [{ state: 'ok', text: `${count}, ${megabytes(total)}`, hint: null }];
  for (const [at, { path, branch, kept, elsewhere, project }] of rows.entries()) {
    if (kept !== null) {
      const text = `${path} (${megabytes(sizes[at]!)}) is kept though its task is archived: ${kept}`;
      const removal = elsewhere
        ? `git -C ${project} branch -D ${branch}`
        : `git worktree remove --force ${path}`;
      const hint = `merge or push ${branch}, or remove it: ${removal}`;
      found.push({ state: 'warn', text, hint });
    } else if (!elsewhere && !existsSync(path)) {
      const text = `${path} is gone; the next turn of its task makes it again from ${branch}`;
      found.push({ state: 'warn', text, hint: 'what was not committed there is lost' });
    }
  }
  return found;
}

/** Bytes on disk; 0 where nothing is there. */
async function sizeOf(path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  const { stdout } = await execa('du', ['-sk', path], { reject: false });
  return (Number.parseInt(String(stdout ?? ''), 10) || 0) * 1024;
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;
}
