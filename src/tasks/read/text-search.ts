// Searching the texts of task files, those in the archive included: every word is in name, title or body, case ignored.
import { statSync } from 'node:fs';
import { parseDocument } from '../../core/document/document.ts';
import type { ListedTask } from '../../core/task/listed-line.ts';
import { asListed } from '../../core/task/packed-reading.ts';
import { readArchive, readText } from '../observe/archive.ts';
import type { TaskRoom } from '../task-room.ts';

/** The words of a search, in small letters. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Whether the task says all the words; its file is read only when name and title do not. */
export function saysAll(deps: TaskRoom, task: ListedTask, words: readonly string[]): boolean {
  const head = `${task.name}\n${task.title ?? ''}`.toLowerCase();
  const rest = words.filter((word) => !head.includes(word));
  if (rest.length === 0) return true;
  const text = readText(deps.room.at(task.path));
  if (text === null) return false;
  const parsed = parseDocument(text, task.path);
  const body = (parsed.ok ? text.slice(parsed.doc.bodyStart) : text).toLowerCase();
  return rest.every((word) => body.includes(word));
}

/** The tasks in the archive that can be read, the newest month first. */
export function archivedTasks({ room }: Pick<TaskRoom, 'room'>): ListedTask[] {
  return readArchive(room).map((task) => asListed(task, changedMs(room.at(task.path))));
}

/** When a file was changed last, epoch ms; null where there is none. */
export function changedMs(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
