// Searching the texts of task files, those in the archive included.
import { statSync } from 'node:fs';
import { parseDocument } from '../../core/document/document.ts';
import { wordsNotInHead } from '../../core/task/filter.ts';
import { asListed, type ListedTask } from '../../core/task/listed-task.ts';
import { readArchive, readText } from '../observe/take-in.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { RoomHandle, TaskRoom } from '../task-room.ts';
import { addFacts, readTurnFactsOf } from './turn-facts.ts';

/** Those of the rows that fit, then those of the archive. */
export async function searchText(
  deps: RoomHandle,
  rows: readonly TaskRow[],
  { words, fits }: { words: readonly string[]; fits(row: TaskRow): boolean },
): Promise<TaskRow[]> {
  const archived = archivedTasks(deps).map(
    (task): TaskRow => ({ ...addFacts(task, readTurnFactsOf(deps, task.id), false), archived: true }),
  );
  return [...rows, ...archived].filter((row) => fits(row) && saysAll(deps, row, words));
}

/** Whether the task says all the words; its file is read only when name, title and id do not. */
function saysAll({ room }: TaskRoom, task: ListedTask, words: readonly string[]): boolean {
  const rest = wordsNotInHead(task, words);
  if (rest.length === 0) return true;
  const text = readText(room.at(task.path));
  if (text === null) return false;
  const parsed = parseDocument(text, task.path);
  const body = (parsed.ok ? text.slice(parsed.doc.bodyStart) : text).toLowerCase();
  return rest.every((word) => body.includes(word));
}

/** The tasks in the archive that can be read, the newest month first. */
export const archivedTasks = (deps: Pick<TaskRoom, 'room' | 'config'>): ListedTask[] =>
  readArchive(deps).map((task) => asListed(task, changedMs(deps.room.at(task.path))));

/** When a file was changed last, epoch ms; null where there is none. */
export const changedMs = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
