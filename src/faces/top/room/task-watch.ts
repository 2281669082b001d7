// Hints which task files changed, from the system's watch of their folder: one watch, no look at the files. Where there is none
// to be had, and after the folder was away, the look at everything that follows in some seconds finds what changed.
import { type FSWatcher, watch } from 'node:fs';

export interface TaskWatch {
  /** False where changes are found by looking alone. */
  isWatching(): boolean;
  /** Watches again where it does not. */
  renew(): void;
  close(): void;
}

/** @param onPath path relative to the room */
export function watchTasks(tasksDir: string, onPath: (path: string) => void): TaskWatch {
  let watcher: FSWatcher | null = null;
  const end = () => {
    watcher?.close();
    watcher = null;
  };
  function renew(): void {
    if (watcher !== null) return;
    try {
      watcher = watch(tasksDir, (_event, name) => {
        if (name !== null) onPath(`tasks/${name}`);
      });
      watcher.on('error', end);
    } catch {
      // Tried again with the next look at everything.
    }
  }
  renew();
  return { isWatching: () => watcher !== null, renew, close: end };
}
