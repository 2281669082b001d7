// Symbolic links among task files. A link is followed only to a regular .md file that lies in another folder, and only
// by the first of its names: two names of one file are one task.
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileStamp, stampOf } from './ledger/tasks/files.ts';

/** The first link to each file that links of one folder lead to; looked up when the first link is met. */
export interface FolderLinks {
  firstTo(path: string): string | null;
}

/** The stamp of what the link at `absolute` leads to, or the reason why it is passed over. */
export function statLink(
  absolute: string,
  links: FolderLinks = linksIn(dirname(absolute)),
): FileStamp | string {
  const target = targetOf(absolute);
  if (!target.ok) return target.reason;
  const first = links.firstTo(target.path);
  return first === null || first === basename(absolute) ? stampOf(target.stat) : sameFile(first);
}

/** The links of a folder; few hold any, so it is listed only when asked. */
export function linksIn(folder: string): FolderLinks {
  let first: Map<string, string> | null = null;
  return {
    firstTo(path) {
      first ??= readLinks(folder);
      return first.get(path) ?? null;
    },
  };
}

function readLinks(folder: string): Map<string, string> {
  const first = new Map<string, string>();
  const links = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isSymbolicLink() && entry.name.endsWith('.md') && !entry.name.startsWith('.'),
  );
  for (const name of links.map((entry) => entry.name).sort()) {
    const target = targetOf(join(folder, name));
    if (target.ok && !first.has(target.path)) first.set(target.path, name);
  }
  return first;
}

function sameFile(name: string): string {
  return `another name of ${name}: two names of one file are one task`;
}

type Target = { ok: true; path: string; stat: Stats } | { ok: false; reason: string };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'broken symlink',
  ENOTDIR: 'broken symlink',
  ELOOP: 'a symlink that leads back to itself',
  ENAMETOOLONG: 'a symlink to a name that is too long',
};

function targetOf(absolute: string): Target {
  try {
    const path = realpathSync.native(absolute);
    const stat = statSync(path);
    const reason = refusalOf(absolute, path, stat);
    return reason === null ? { ok: true, path, stat } : { ok: false, reason };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return { ok: false, reason: REASONS[code] ?? `a symlink that can't be followed (${code})` };
  }
}

function refusalOf(absolute: string, path: string, stat: Stats): string | null {
  if (stat.isDirectory()) return 'a symlink to a folder';
  if (!stat.isFile()) return 'a symlink to no regular file';
  if (!path.endsWith('.md')) return 'a symlink to a file that is no .md';
  if (dirname(path) !== realpathSync.native(dirname(absolute))) return null;
  return sameFile(basename(path));
}
