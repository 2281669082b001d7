// What must be true of branches after a storm: what a turn that counts committed is in its branch at the host, and no worker has a
// copy that is broken or a worktree that nobody knows.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastRun, type Run } from './worker-runs.ts';
import type { StormSite } from './worker-site.ts';

/** @param whole turns that completed a round */
export function judgeBranches(
  on: StormSite,
  whole: readonly { id: string; thread: string }[],
  runs: readonly Run[],
): string[] {
  const copies = foldersIn(on.site.room.at('.taskroom/repositories'));
  return [
    ...whole.flatMap(({ id, thread }) => judgeTurn(copies, thread.replace('task:local:', ''), id, runs)),
    ...on.homes.flatMap(judgeWorker),
  ];
}

function judgeTurn(copies: readonly string[], task: string, turn: string, runs: readonly Run[]): string[] {
  const branch = `refs/heads/taskroom/${task}-${task}`;
  const logs = copies.map((copy) => git(copy, 'log', '--format=%s', branch)).filter((log) => log !== null);
  const run = lastRun(runs, turn)?.run;
  // The others work in no branch.
  if (logs.length === 0 && !/thread\d*[34]$/.test(task)) return [];
  return logs.some((log) => log.split('\n').includes(`run ${run}`))
    ? []
    : [`${task}: what ${run} committed in ${turn} is not in its branch at the host`];
}

function judgeWorker(home: string): string[] {
  const cache = join(home, 'cache');
  const copies = foldersIn(join(cache, 'repositories'));
  const known = copies.flatMap((copy) =>
    (git(copy, 'worktree', 'list', '--porcelain') ?? '')
      .split('\n')
      .filter((line) => line.startsWith('worktree '))
      .map((line) => line.slice('worktree '.length)),
  );
  const here = foldersIn(cache).flatMap((room) => foldersIn(join(room, 'worktrees')));
  return [
    ...copies
      .filter((copy) => git(copy, 'fsck', '--connectivity-only') === null)
      .map((copy) => `a worker's copy is broken: ${copy}`),
    ...known.filter((path) => !existsSync(path)).map((path) => `a worktree is on record and gone: ${path}`),
    ...here.filter((path) => !known.includes(path)).map((path) => `a worktree is nobody's: ${path}`),
  ];
}

export function foldersIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const found = readdirSync(dir, { withFileTypes: true }).filter((each) => each.isDirectory());
  return found.map(({ name }) => join(dir, name));
}

/** Null where git says no. */
function git(dir: string, ...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}
