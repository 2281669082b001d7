// Whether a path leads into a folder, whatever links lie on its way: a name that looks contained proves nothing.
import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { hasCode, valueOr } from '../../core/errors.ts';

const MOST_LINKS = 40; // Links that are followed of a path whose end is not there yet.

/** Where an absolute path really leads, links followed; null for a circle of links, or a folder that can't be read. */
export function realTarget(path: string): string | null {
  let rest = '';
  let at = resolve(path);
  for (let links = 0; links <= MOST_LINKS; ) {
    try {
      return join(realpathSync(at), rest);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) return null;
    }
    const target = linkTarget(at);
    if (target !== null) {
      // A write through a link without a target would make what it names.
      at = resolve(dirname(at), target);
      links += 1;
    } else {
      rest = join(basename(at), rest);
      at = dirname(at);
    }
  }
  return null;
}

function linkTarget(path: string): string | null {
  // No link, or gone.
  return valueOr(null, () => readlinkSync(path));
}

/** Whether `path` is `folder` or lies in it, links followed. Both absolute. */
export function leadsInto(folder: string, path: string): boolean {
  const root = realTarget(folder);
  const target = realTarget(path);
  return root !== null && target !== null && isWithin(root, target);
}

/** The same by the folder's device and inode: its name may be spelled another way (no case, mounted twice). */
export function liesIn(folder: string, path: string): boolean {
  const wanted = identityOf(folder);
  const target = realTarget(path);
  if (wanted === null || target === null) return leadsInto(folder, path);
  return foldersUp(target).some((at) => identityOf(at) === wanted);
}

/** The folders from one (without it) down to another, by their real paths; none where it does not lie in there. */
export function wayInto(folder: string, path: string): string[] {
  const up = foldersUp(realTarget(path) ?? path);
  const wanted = identityOf(folder);
  const end = up.findIndex((at) => identityOf(at) === wanted);
  return up.slice(0, Math.max(0, end)).reverse();
}

/** An absolute path and the folders that it lies in, up to the root. */
export const foldersUp = (path: string): string[] =>
  path === dirname(path) ? [path] : [path, ...foldersUp(dirname(path))];

function identityOf(path: string): string | null {
  const stat = valueOr(null, () => statSync(path, { bigint: true }));
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Whether a path stands in a folder by names alone. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith('../'));
}
