// A task whose file is not in tasks/ any more, as it was last: from the attic, where our own delete puts it, else from the
// history (S12: agents look at tasks that are long over).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_NAME_BYTES, shortenName } from '../../core/task/file-name.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { type HistoryLine, readHistory } from '../../store/history.ts';
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

/** One that only the history tells of, by its id or name; null when it does not. */
export function readFromHistory(deps: TaskRoom, word: string): GoneTask | null {
  const names = namesOfWord(word);
  return fromHistory(deps, ({ id, name }) => id === idOfRef(word) || names.includes(name));
}

function fromAttic({ room }: TaskRoom, id: string | null, name: string): GoneTask | null {
  const part = shortenName(name, MAX_NAME_BYTES - MORE_BYTES);
  // Names begin with a day: the newest first.
  const files = namesIn(room.atticDir).filter((file) => file.endsWith('.md') && file.includes(part));
  for (const file of files.sort().reverse()) {
    const found = readOne(join(room.atticDir, file), `${ATTIC}/${file}`);
    if (found !== null && found.task.id === id) return { ...found, task: { ...found.task, name } };
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
  try {
    const text = readFileSync(absolute, 'utf8');
    const reading = readTask(path, text);
    return reading.ok ? { task: reading.task, text } : null;
  } catch {
    // Removed or unreadable: as if it were not kept.
    return null;
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
