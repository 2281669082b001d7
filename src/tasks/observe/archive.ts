// The archive on disk. A room that lost its ledger records it first, so that none of its ids is given again (S7).
import { readdirSync, readFileSync } from 'node:fs';
import { valueOr } from '../../core/errors.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { passedOver } from '../../store/files/scan.ts';
import type { Room } from '../../store/room.ts';
import type { TaskRoom } from '../task-room.ts';
import { freshMemory } from './observer.ts';

/** Records the tasks of the archive in a ledger that has never looked at the room. */
export function takeInArchive({ room, ledger, effects }: TaskRoom): void {
  if (ledger.meta.wasLookedAt()) return;
  const now = effects.now();
  ledger.transaction(() => {
    for (const task of readArchive(room)) {
      if (task.id === null || ledger.tasks.get(task.id) !== null) continue;
      const memory = freshMemory(task, task.id, now);
      ledger.tasks.insert({ ...memory, path: null, consumed: task.revision, archived: task.path });
    }
  });
}

/** The tasks in the archive that can be read, the newest month first. */
export function readArchive(room: Room): Task[] {
  const months = foldersOf(room.at('archive')).sort().reverse();
  return months.flatMap((month) =>
    filesOf(room.at(`archive/${month}`)).flatMap((file) => {
      const path = `archive/${month}/${file}`;
      const text = readText(room.at(path));
      const reading = text === null ? null : readTask(path, text);
      return reading?.ok ? [reading.task] : [];
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
  // No archive yet, or none that may be read.
  return valueOr([], () => readdirSync(dir, { withFileTypes: true }));
}

export function readText(path: string): string | null {
  // Gone since it was listed, or not ours to read.
  return valueOr(null, () => readFileSync(path, 'utf8'));
}
