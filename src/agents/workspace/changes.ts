// What a task's branch came to, as a short text: its commits and the files they and the worktree changed.
import type { Git } from './git.ts';

const MOST = 20;
const LINE = 160;

export interface BranchPlace {
  /** Of its worktree; of the repository itself where there is none. */
  path: string;
  branch: string;
  hasWorktree: boolean;
}

/**
 * The branch, its commits since `base` and the changed files, at most 20 of each and then a count.
 * @returns null when nothing changed, or when git can't tell
 */
export async function describeChanges(
  git: Git,
  { path, branch, hasWorktree }: BranchPlace,
  base: string,
): Promise<string | null> {
  const tip = hasWorktree ? 'HEAD' : `refs/heads/${branch}`;
  const commits = await git(path, 'log', '--format=%h %s', `${base}..${tip}`, '--');
  const files = await git(path, 'diff', '--name-status', '--no-renames', `${base}...${tip}`, '--');
  const nothing = { ok: true, stdout: '' };
  const loose = hasWorktree ? await git(path, 'status', '--porcelain') : nothing;
  if (!commits.ok || !files.ok || !loose.ok) return null;
  const made = linesOf(commits.stdout);
  const changed = linesOf(files.stdout).map((line) => line.replace(/\s+/, ' '));
  const uncommitted = linesOf(loose.stdout);
  if (made.length + changed.length + uncommitted.length === 0) return null;
  const parts = [
    `Branch \`${branch}\` in ${path}`,
    ...listed('commit', made),
    ...listed('changed file', changed),
    ...listed(
      'uncommitted file',
      uncommitted.map((line) => line.trim()),
    ),
  ];
  return parts.join('\n');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function listed(what: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines
    .slice(0, MOST)
    .map((line) => `- ${line.slice(0, LINE).toWellFormed().replaceAll('`', "'")}`);
  const rest = lines.length - shown.length;
  const more = rest > 0 ? [`- and ${rest} more`] : [];
  return ['', `${lines.length} ${what}${lines.length === 1 ? '' : 's'}:`, ...shown, ...more];
}
