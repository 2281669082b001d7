// Removes the locks of a git that was killed in a worker's workspace, because of which git would refuse to work for ever. A lock is removed
// only when no git works in that folder and no program has the file open.
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { execa } from 'execa';
import type { Git } from '../../../../agents/workspace/git.ts';
import { valueOr } from '../../../../core/errors.ts';
import type { WorkspaceRow } from '../../../../store/ledger/turns/jobs.ts';

/** Removes those of a task's own worktree and branch; the processes of the turn before are dead. */
export async function removeOwnLocks(
  git: Git,
  { project, path, branch }: Pick<WorkspaceRow, 'project' | 'path' | 'branch'>,
): Promise<string[]> {
  const own = existsSync(path) ? await git(path, 'rev-parse', '--path-format=absolute', '--git-dir') : null;
  const files = own?.ok ? locksIn(own.stdout) : [];
  return removeLeft([...files, join(project, 'refs', 'heads', `${branch}.lock`)], [path, project]);
}

/** Removes those that all worktrees of a copy share. @param trees absolute path of the folder that the worktrees lie in */
export const removeSharedLocks = (project: string, trees: string) =>
  removeLeft(locksIn(project), [project, trees]);

/** Removes those of all of a worker's copies, when it begins. @param dir absolute path of the worker's own folder */
export function removeAllLocks(dir: string, repositories: string): Promise<string[]> {
  const below = existsSync(repositories) ? readdirSync(repositories, { withFileTypes: true }) : [];
  const copies = below.filter((each) => each.isDirectory()).map(({ name }) => join(repositories, name));
  const refs = copies.flatMap((copy) => locksIn(join(copy, 'refs'), true));
  return removeLeft([...copies.flatMap((copy) => locksIn(copy)), ...refs], [dir]);
}

/** Returns the absolute paths of the locks that it removed. */
async function removeLeft(files: readonly string[], dirs: readonly string[]): Promise<string[]> {
  const held = files.map((file) => ({ file, id: idOf(file) })).filter(({ id }) => id !== null);
  const paths = new Set(held.map(({ file }) => file));
  if (held.length === 0 || (await isAtWork(dirs, paths))) return [];
  // A lock that was taken meanwhile is another's.
  const left = held.filter(({ file, id }) => idOf(file) === id);
  for (const { file } of left) rmSync(file, { force: true });
  return left.map(({ file }) => file);
}

function locksIn(dir: string, recursive = false): string[] {
  const names = existsSync(dir) ? readdirSync(dir, { recursive, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(dir, name));
}

/** Tells a lock from one that is made after it; null for no file. */
function idOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.ino} ${found.mtimeNs}`;
}

/** Where there is no /proc any git counts, wherever it works. */
async function isAtWork(dirs: readonly string[], locks: ReadonlySet<string>): Promise<boolean> {
  const pids = valueOr(null, () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)));
  if (pids !== null) return pids.some((pid) => worksIn(pid, dirs) || hasOpen(pid, locks));
  const { stdout } = await execa('ps', ['-A', '-o', 'comm='], { reject: false });
  return stdout.split('\n').some((name) => isGit(name.split('/').at(-1)!));
}

const isGit = (name: string) => /^git(-|$)/.test(name.trim());

function worksIn(pid: string, dirs: readonly string[]): boolean {
  const name = valueOr(null, () => readFileSync(`/proc/${pid}/comm`, 'utf8'));
  if (name === null || !isGit(name)) return false;
  const place = valueOr(null, () => readlinkSync(`/proc/${pid}/cwd`));
  // A process that ended, or another user's, works somewhere else.
  return place !== null && dirs.some((dir) => place === dir || place.startsWith(dir + sep));
}

function hasOpen(pid: string, files: ReadonlySet<string>): boolean {
  const open = valueOr(null, () => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return open.some((fd) => files.has(valueOr(null, () => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''));
}
