// What git leaves in its folder when it changes files: a checkout is known by it, however slowly its files are read.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export type GitMarks = ReturnType<typeof createGitMarks>;

// A lock that is older was left by a git that died.
const LONGEST_LOCK_MS = 120_000;

/** @param dir a folder; where no repository holds it, git never moves */
export function createGitMarks(dir: string) {
  const stampOf = (name: string): string => {
    const folder = gitFolder(dir);
    const stats = folder === null ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
  };
  const mark = () => `${stampOf('HEAD')} ${stampOf('index')}`;
  let last = mark();
  return {
    /** Git holds its index: it is changing files now. */
    isAtWork(nowMs: number): boolean {
      const folder = gitFolder(dir);
      const lock = folder && statSync(join(folder, 'index.lock'), { throwIfNoEntry: false });
      return !!lock && nowMs - lock.mtimeMs < LONGEST_LOCK_MS;
    },
    /** True when HEAD or the index is another than when this was asked last. */
    hasMoved(): boolean {
      const now = mark();
      const moved = now !== last;
      last = now;
      return moved;
    },
  };
}

/** The folder of this work tree's HEAD and index; null outside a repository. */
function gitFolder(dir: string): string | null {
  for (let at = dir; ; at = dirname(at)) {
    const path = join(at, '.git');
    if (existsSync(path)) {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
      const link = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
      return link === undefined ? null : resolve(at, link.trim());
    }
    if (dirname(at) === at) return null;
  }
}
