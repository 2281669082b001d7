// The file tools of a model: small, bounded, and inside its folder alone.
import { mkdir, opendir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentTool } from '../runner.ts';
import { number, text, tool, Unreachable, type Workplace } from './workplace.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_CHARS = 60_000;
const DEFAULT_LINES = 1_000;
export const fileTools = (place: Workplace) => [...readingTools(place), ...writingTools(place)];

function readingTools(place: Workplace): AgentTool[] {
  const lines = {
    path: text('File, from your folder'),
    from: number('First line, from 1').optional(),
    lines: number(`How many lines; ${DEFAULT_LINES} when left out`).optional(),
  };
  const folder = {
    path: text('Folder; your own when left out').optional(),
    contains: text('Only paths that contain this').optional(),
  };
  const wanted = {
    text: text('The text itself, no pattern; capital and small letters are the same'),
    path: text('File or folder; your own when left out').optional(),
  };
  const aboutList = 'Lists files below a folder, without .git and node_modules.';
  return [
    tool('read_file', 'Reads a text file.', lines, async ({ path, from = 1, lines: count = DEFAULT_LINES }) =>
      linesOf((await readText(place.toRead(path))).split('\n'), Math.max(1, from), Math.max(1, count)),
    ),
    tool('list_files', aboutList, folder, async ({ path = '.', contains = '' }) => {
      const { found, isCut } = await findFiles(place, place.toRead(path), (name) => name.includes(contains));
      if (found.length === 0) return 'no files';
      return `${found.join('\n')}${isCut ? '\n(there are more: name a folder, or what their paths contain)' : ''}`;
    }),
    tool('search_files', 'Finds the lines of files that contain a text.', wanted, (input) =>
      searchFiles(place, place.toRead(input.path ?? '.'), input.text),
    ),
  ];
}

const cut = (text: string, maxChars: number, mark: string): string =>
  text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}${mark}` : text;

function linesOf(all: readonly string[], first: number, count: number): string {
  const last = Math.min(all.length, first - 1 + count);
  const shown = cut(all.slice(first - 1, last).join('\n'), MAX_CHARS, '\n(cut here)');
  return `${shown}${first > 1 || last < all.length ? `\n(lines ${first} to ${last} of ${all.length})` : ''}`;
}

function writingTools(place: Workplace): AgentTool[] {
  const path = text('File, from your folder');
  const piece = {
    ...{ path, old: text('What stands there now, exactly; it must stand there once') },
    new: text('What is to stand there instead'),
  };
  const aboutWrite = 'Writes a file whole, and makes it where it is not there.';
  return [
    tool('write_file', aboutWrite, { path, content: text('All that is to stand in it') }, async (input) => {
      const target = place.toWrite(input.path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, input.content);
      return `wrote ${place.name(target)}, ${Buffer.byteLength(input.content)} bytes`;
    }),
    tool('edit_file', 'Replaces one piece of a file.', piece, async (input) => {
      const target = place.toWrite(input.path);
      const before = await readText(target);
      const places = input.old === '' ? 0 : before.split(input.old).length - 1;
      if (places === 0) throw new Unreachable('the old text does not stand in the file');
      if (places > 1) throw new Unreachable(`the old text stands there ${places} times: give more of it`);
      const after = before.replace(input.old, () => input.new);
      await writeFile(target, after);
      return `changed ${place.name(target)}`;
    }),
    tool('delete_file', 'Deletes one file.', { path }, async (input) => {
      const target = place.toWrite(input.path);
      if ((await stat(target)).isDirectory())
        throw new Unreachable('this is a folder: only files can be deleted');
      await rm(target);
      return `deleted ${place.name(target)}`;
    }),
  ];
}

/** A file as text. A pipe or a device is never opened: it may have no end. */
async function readText(target: string): Promise<string> {
  const found = await stat(target);
  if (found.isDirectory()) throw new Unreachable('this is a folder: see list_files');
  if (!found.isFile()) throw new Unreachable('this is no regular file');
  if (found.size > MAX_FILE_BYTES) throw new Unreachable(`the file is larger than ${MAX_FILE_BYTES} bytes`);
  const bytes = await readFile(target);
  if (bytes.includes(0)) throw new Unreachable('this is no text file');
  return bytes.toString('utf8');
}

const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const MOST_VISITED = 50_000;
const MOST_LISTED = 1_000;
const MOST_FOUND = 200;
const MAX_LINE = 300;

/** Files below a folder by their names from there, sorted; not all of them when `isCut`. Links are not followed. */
async function findFiles(
  place: Workplace,
  folder: string,
  fits: (name: string) => boolean,
  most = MOST_LISTED,
) {
  const found: string[] = [];
  let visited = 0;
  const folders = [folder];
  for (const at of folders) {
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
async function searchFiles(place: Workplace, target: string, wanted: string): Promise<string> {
  if (wanted.trim() === '') throw new Unreachable('name a text to look for');
  const isFile = (await stat(target)).isFile();
  const { found, isCut } = isFile
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

/** None of a file that can't be read as text. */
async function linesWith(path: string, wanted: string): Promise<string[]> {
  const lines = (await readText(path).catch(() => '')).split('\n');
  return lines.flatMap((line, at) =>
    line.toLowerCase().includes(wanted) ? [`${at + 1}: ${cut(line.trim(), MAX_LINE, '…')}`] : [],
  );
}
