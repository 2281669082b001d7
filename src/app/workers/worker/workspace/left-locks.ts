// Locks of a git that was killed in a worker's workspace: the next turn's git would refuse to work for ever. One is removed where
// it is certain that nobody holds it: no git works in that folder, and no program has the file open.
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { execa } from 'execa';
import type { Git } from '../../../../agents/workspace/git.ts';
import type { WorkspaceRow } from '../../../../store/ledger/turns/jobs.ts';

/** Those of a task's own worktree and branch. To be called between two turns in it, when the processes of the one before are dead. */
export async function removeOwnLocks(
  git: Git,
  { project, path, branch }: Pick<WorkspaceRow, 'project' | 'path' | 'branch'>,
): Promise<string[]> {
  const own = existsSync(path) ? await git(path, 'rev-parse', '--path-format=absolute', '--git-dir') : null;
  const files = own?.ok ? locksIn(own.stdout) : [];
  return removeLeft([...files, join(project, 'refs', 'heads', `${branch}.lock`)], [path, project]);
}

/** Those that all worktrees of a copy share. @param trees absolute path of the folder that the worktrees lie in */
export function removeSharedLocks(project: string, trees: string): Promise<string[]> {
  return removeLeft(locksIn(project), [project, trees]);
}

/** All of a worker's copies, when it begins. @param dir absolute path of the worker's own folder */
export function removeAllLocks(dir: string, repositories: string): Promise<string[]> {
  const below = existsSync(repositories) ? readdirSync(repositories, { withFileTypes: true }) : [];
  const copies = below.filter((each) => each.isDirectory()).map(({ name }) => join(repositories, name));
  const refs = copies.flatMap((copy) => locksIn(join(copy, 'refs'), true));
  return removeLeft([...copies.flatMap((copy) => locksIn(copy)), ...refs], [dir]);
}

/** @returns absolute paths of those that were removed */
async function removeLeft(files: readonly string[], dirs: readonly string[]): Promise<string[]> {
  const held = files.flatMap(lockAt);
  if (held.length === 0 || (await isAtWork(dirs, held))) return [];
  // One that was taken meanwhile is another's.
  const left = held.filter(({ file, id }) => lockAt(file)[0]?.id === id);
  for (const { file } of left) rmSync(file, { force: true });
  return left.map(({ file }) => file);
}

interface Lock {
  file: string;
  /** Tells it from one that is made after it. */
  id: string;
}

function locksIn(dir: string, recursive = false): string[] {
  const names = existsSync(dir) ? readdirSync(dir, { recursive, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(dir, name));
}

function lockAt(file: string): Lock[] {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? [] : [{ file, id: `${found.ino} ${found.mtimeNs}` }];
}

/** Where there is no /proc any git counts, wherever it works. */
async function isAtWork(dirs: readonly string[], locks: readonly Lock[]): Promise<boolean> {
  const pids = processes();
  if (pids === null) {
    const { stdout } = await execa('ps', ['-A', '-o', 'comm='], { reject: false });
    return stdout.split('\n').some((name) => isGit(name.split('/').at(-1)!));
  }
  const files = new Set(locks.map(({ file }) => file));
  return pids.some((pid) => worksIn(pid, dirs) || hasOpen(pid, files));
}

function processes(): string[] | null {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return null;
  }
}

const isGit = (name: string) => /^git(-|$)/.test(name.trim());

function worksIn(pid: string, dirs: readonly string[]): boolean {
  const name = orNull(() => readFileSync(`/proc/${pid}/comm`, 'utf8'));
  if (name === null || !isGit(name)) return false;
  const place = orNull(() => readlinkSync(`/proc/${pid}/cwd`));
  // It ended, or is another user's, who has no business here.
  return place !== null && dirs.some((dir) => place === dir || place.startsWith(dir + sep));
}

function hasOpen(pid: string, files: ReadonlySet<string>): boolean {
  const open = orNull(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return open.some((fd) => files.has(orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''));
}

/** What is gone, or another's. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
