// Searching the texts of task files, those in the archive included: every word is in name, title or body, case ignored.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from '../../core/document/document.ts';
import type { ListedTask } from '../../core/task/listed-line.ts';
import { asListed } from '../../core/task/packed-reading.ts';
import { readTask } from '../../core/task/read-task.ts';
import { passedOver } from '../../store/scan.ts';
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
export function archivedTasks({ room }: TaskRoom): ListedTask[] {
  const months = foldersOf(room.at('archive')).sort().reverse();
  return months.flatMap((month) =>
    filesOf(room.at(`archive/${month}`)).flatMap((file) => {
      const path = `archive/${month}/${file}`;
      const text = readText(room.at(path));
      const reading = text === null ? null : readTask(path, text);
      return reading?.ok ? [asListed(reading.task, changedMs(room.at(path)))] : [];
    }),
  );
}

function foldersOf(dir: string): string[] {
  return entriesOf(dir).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

function filesOf(dir: string): string[] {
  const files = entriesOf(dir).filter((entry) => entry.isFile() && passedOver(entry.name) === null);
  return files.map(({ name }) => name).sort();
}

function entriesOf(dir: string) {
  try {
    return readdirSync(join(dir), { withFileTypes: true });
  } catch {
    // No archive yet, or none that may be read.
    return [];
  }
}

/** When a file was changed last, epoch ms; null where there is none. */
export function changedMs(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone since it was listed, or not ours to read.
    return null;
  }
}
