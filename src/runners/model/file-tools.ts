// The file tools of a model: small, bounded, and inside its folder alone. What goes wrong is an answer for it to read.
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentTool } from '../runner.ts';
import { findFiles, searchFiles } from './file-search.ts';
import { number, text, tool } from './tool-shape.ts';
import { Unreachable, type Workplace } from './workplace.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_CHARS = 60_000;
const DEFAULT_LINES = 1_000;

export function fileTools(place: Workplace): AgentTool[] {
  return [
    readTool(place),
    listTool(place),
    searchTool(place),
    writeTool(place),
    editTool(place),
    deleteTool(place),
  ];
}

function readTool(place: Workplace): AgentTool {
  const shape = {
    path: text('File, from your folder'),
    from: number('First line, from 1').optional(),
    lines: number(`How many lines; ${DEFAULT_LINES} when left out`).optional(),
  };
  return tool('read_file', 'Reads a text file.', shape, async ({ path, from = 1, lines = DEFAULT_LINES }) => {
    const all = (await readText(place.toRead(path))).split('\n');
    const first = Math.max(1, from);
    const shown = all.slice(first - 1, first - 1 + Math.max(1, lines)).join('\n');
    const cut = shown.length > MAX_CHARS ? `${shown.slice(0, MAX_CHARS).toWellFormed()}\n(cut here)` : shown;
    const last = Math.min(all.length, first - 1 + lines);
    const rest = first > 1 || last < all.length ? `\n(lines ${first} to ${last} of ${all.length})` : '';
    return `${cut}${rest}`;
  });
}

function listTool(place: Workplace): AgentTool {
  const shape = {
    path: text('Folder; your own when left out').optional(),
    contains: text('Only paths that contain this').optional(),
  };
  const about = 'Lists files below a folder, without .git and node_modules.';
  return tool('list_files', about, shape, async ({ path = '.', contains = '' }) => {
    const { found, isCut } = await findFiles(place, place.toRead(path), (name) => name.includes(contains));
    if (found.length === 0) return 'no files';
    return `${found.join('\n')}${isCut ? '\n(there are more: name a folder, or what their paths contain)' : ''}`;
  });
}

function searchTool(place: Workplace): AgentTool {
  const shape = {
    text: text('The text itself, no pattern; capital and small letters are the same'),
    path: text('File or folder; your own when left out').optional(),
  };
  const about = 'Finds the lines of files that contain a text.';
  return tool('search_files', about, shape, ({ text: wanted, path = '.' }) =>
    searchFiles(place, place.toRead(path), wanted),
  );
}

function writeTool(place: Workplace): AgentTool {
  const shape = { path: text('File, from your folder'), content: text('All that is to stand in it') };
  return tool(
    'write_file',
    'Writes a file whole, and makes it where it is not there.',
    shape,
    async (input) => {
      const target = place.toWrite(input.path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, input.content);
      return `wrote ${place.name(target)}, ${Buffer.byteLength(input.content)} bytes`;
    },
  );
}

function editTool(place: Workplace): AgentTool {
  const shape = {
    path: text('File, from your folder'),
    old: text('What stands there now, exactly; it must stand there once'),
    new: text('What is to stand there instead'),
  };
  return tool('edit_file', 'Replaces one piece of a file.', shape, async (input) => {
    const target = place.toWrite(input.path);
    const before = await readText(target);
    const places = input.old === '' ? 0 : before.split(input.old).length - 1;
    if (places !== 1)
      throw new Unreachable(
        places === 0
          ? 'the old text does not stand in the file'
          : `the old text stands there ${places} times: give more of it`,
      );
    await writeFile(
      target,
      before.replace(input.old, () => input.new),
    );
    return `changed ${place.name(target)}`;
  });
}

function deleteTool(place: Workplace): AgentTool {
  return tool(
    'delete_file',
    'Deletes one file.',
    { path: text('File, from your folder') },
    async ({ path }) => {
      const target = place.toWrite(path);
      if ((await stat(target)).isDirectory())
        throw new Unreachable('this is a folder: only files can be deleted');
      await rm(target);
      return `deleted ${place.name(target)}`;
    },
  );
}

/** A file as text. A pipe or a device is never opened: it may have no end. */
async function readText(target: string): Promise<string> {
  const found = await stat(target);
  if (found.isDirectory()) throw new Unreachable('this is a folder: see list_files');
  if (!found.isFile()) throw new Unreachable('this is no regular file');
  if (found.size > MAX_FILE_BYTES) throw new Unreachable(`the file is larger than ${MAX_FILE_BYTES} bytes`);
  if (await isBinary(target)) throw new Unreachable('this is no text file');
  return readFile(target, 'utf8');
}

async function isBinary(target: string): Promise<boolean> {
  const file = await open(target, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8000), 0, 8000, 0);
    return buffer.subarray(0, bytesRead).includes(0);
  } finally {
    await file.close();
  }
}
