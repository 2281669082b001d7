// A task without a file, as it was last: from the attic, where our own delete puts it, else from the history (S12).
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setKey } from '../../core/document/document.ts';
import { MAX_NAME_BYTES, shortenName } from '../../core/task/names.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { type HistoryLine, readHistory } from '../../store/files/history.ts';
import { readText } from '../observe/archive.ts';
import { type Candidate, idOfRef, namesOfWord } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';

export interface GoneTask {
  task: Task;
  text: string;
}

const ATTIC = '.taskroom/attic';
const HISTORY = 'history.jsonl';
// Longer than any day and number that a file's name got on its way to the attic.
const MORE_BYTES = 20;

/** The last that is known of a task without a file; null when nothing is kept. */
export function readGoneTask(deps: TaskRoom, { id, name }: Candidate): GoneTask | null {
  return (
    fromAttic(deps, id, name) ??
    fromHistory(deps, (line) => (id === null ? line.name === name : line.id === id))
  );
}

/** One of which the ledger knows nothing (it is new, or the file went a moment ago), by its id, name or title. */
export function readUnknownTask(deps: TaskRoom, word: string): GoneTask | null {
  const names = namesOfWord(word);
  const isNamed = (name: string | null) => name !== null && names.includes(name);
  return (
    inAttic(deps, '', ({ id, name, title }) => id === idOfRef(word) || isNamed(name) || isNamed(title)) ??
    fromHistory(deps, ({ id, name }) => id === idOfRef(word) || names.includes(name))
  );
}

function fromAttic(deps: TaskRoom, id: string | null, name: string): GoneTask | null {
  const part = shortenName(name, MAX_NAME_BYTES - MORE_BYTES);
  const found = inAttic(deps, part, (task) => task.id === id);
  return found === null ? null : { ...found, task: { ...found.task, name } };
}

/** @param part of the file's name */
function inAttic({ room }: TaskRoom, part: string, isWanted: (task: Task) => boolean): GoneTask | null {
  // Names begin with a day: the newest first.
  if (!existsSync(room.trashDir)) return null;
  const files = readdirSync(room.trashDir).filter((file) => file.endsWith('.md') && file.includes(part));
  for (const file of files.sort().reverse()) {
    const found = readOne(join(room.trashDir, file), `${ATTIC}/${file}`);
    if (found !== null && isWanted(found.task)) return found;
  }
  return null;
}

function fromHistory({ room }: TaskRoom, isWanted: (line: HistoryLine) => boolean): GoneTask | null {
  const [line] = readHistory(room.historyPath, 1, isWanted);
  if (line === undefined || line.text === '') return null;
  const reading = readTask(HISTORY, line.text);
  if (!reading.ok) return null;
  const { id, name, status } = line;
  return { task: { ...reading.task, id, name, status } as Task, text: line.text };
}

function readOne(absolute: string, path: string): GoneTask | null {
  const given = readText(absolute);
  if (given === null) return null;
  const text = withStatus(given, path);
  const reading = readTask(path, text);
  if (!reading.ok) return null;
  // Deleting put a day before its name, and a number behind one that was taken.
  const name = reading.task.name.replace(/^\d{4}-\d\d-\d\d-/, '').replace(/ \(\d+\)$/, '');
  return { task: { ...reading.task, name }, text };
}

/** A file that says `deleted` itself names no status: it is read as one that is canceled. */
function withStatus(text: string, path: string): string {
  const reading = readTask(path, text);
  return !reading.ok && reading.invalid.deleted ? setKey(text, 'status', 'canceled', path) : text;
}
