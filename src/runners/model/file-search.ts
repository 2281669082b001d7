// Looking through a folder for a model, bounded in what it visits and in what it answers. Links are not followed.
import { open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workplace } from './workplace.ts';
import { Unreachable } from './workplace.ts';

const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const MOST_VISITED = 50_000;
const MOST_LISTED = 1_000;
const MOST_FOUND = 200;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LINE = 300;

export interface Found {
  /** As they are named from the folder, sorted. */
  found: string[];
  isCut: boolean;
}

export async function findFiles(
  place: Workplace,
  folder: string,
  fits: (name: string) => boolean,
  most = MOST_LISTED,
): Promise<Found> {
  const found: string[] = [];
  let visited = 0;
  const folders = [folder];
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    const entries = await opendir(at).catch((error: NodeJS.ErrnoException) => {
      // What is gone or closed to us meanwhile; the folder itself is told.
      if (at === folder)
        throw new Unreachable(error.code === 'ENOTDIR' ? 'this is no folder' : error.message);
      return null;
    });
    for await (const entry of entries ?? []) {
      visited += 1;
      const path = join(at, entry.name);
      if (visited > MOST_VISITED || found.length >= most) return { found: found.sort(), isCut: true };
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name) && isOpen(place, path)) folders.push(path);
      else if (entry.isFile() && fits(place.name(path))) found.push(place.name(path));
    }
  }
  return { found: found.sort(), isCut: false };
}

function isOpen(place: Workplace, path: string): boolean {
  try {
    place.toRead(path);
    return true;
  } catch (error) {
    if (error instanceof Unreachable) return false;
    throw error;
  }
}

/** Lines with a text, as `path:number: line`. A text, not a pattern: no pattern can keep the runtime busy for ever. */
export async function searchFiles(place: Workplace, target: string, wanted: string): Promise<string> {
  if (wanted.trim() === '') throw new Unreachable('name a text to look for');
  const single = (await stat(target)).isFile();
  const { found, isCut } = single
    ? { found: [place.name(target)], isCut: false }
    : await findFiles(place, target, () => true, MOST_VISITED);
  const lines: string[] = [];
  for (const name of found) {
    for (const line of await linesWith(place.toRead(name), wanted.toLowerCase())) {
      lines.push(`${name}:${line}`);
      if (lines.length >= MOST_FOUND) return `${lines.join('\n')}\n(there are more: look for a longer text)`;
    }
  }
  const rest = isCut ? '\n(not all files were looked at: name a folder)' : '';
  return `${lines.length === 0 ? 'found nowhere' : lines.join('\n')}${rest}`;
}

async function linesWith(path: string, wanted: string): Promise<string[]> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return [];
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) return [];
    const content = await file.readFile('utf8');
    if (content.includes('\0')) return [];
    return content.split('\n').flatMap((line, at) => {
      if (!line.toLowerCase().includes(wanted)) return [];
      const shown = line.trim();
      return [
        `${at + 1}: ${shown.length > MAX_LINE ? `${shown.slice(0, MAX_LINE).toWellFormed()}…` : shown}`,
      ];
    });
  } finally {
    await file.close();
  }
}
