// The names of the tasks with a file, from one look at the folder.
import { readdirSync } from 'node:fs';
import { nameOfPath } from '../../core/task/names.ts';
import { passedOver } from '../../store/files/scan.ts';
import type { RoomHandle } from '../task-room.ts';

export function taskNames(deps: RoomHandle): string[] {
  try {
    const files = readdirSync(deps.room.at('tasks')).filter((file) => passedOver(file) === null);
    return files.map((file) => nameOfPath(`tasks/${file}`)).sort();
  } catch {
    // A completion has nothing to say of a room without tasks.
    return [];
  }
}
