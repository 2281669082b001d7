// How the screen hears of changes: beside the room from its files, its ledger and the socket of its daemon; from another
// machine from the daemon alone, which is asked less often.
import { existsSync, type FSWatcher, watch } from 'node:fs';
import type { Effects } from '../../../effects.ts';
import type { Runtime } from '../../../runtime.ts';
import type { TopRequest } from '../../shapes/top-request.ts';
import { type OpenStream, openFar, openHere } from './event-link.ts';
import type { Pace } from './paced.ts';

export interface TaskWatch {
  /** False where changes are found by looking alone. */
  isWatching(): boolean;
  /** Watches again where it does not. */
  renew(): void;
  close(): void;
}

export interface Surroundings {
  isElsewhere: boolean;
  /** Without one the room was opened with an empty one in memory. */
  hasLedger(runtime: Runtime): boolean;
  watch(runtime: Runtime, onPath: (path: string) => void): TaskWatch;
  events(runtime: Runtime): OpenStream;
  filePace: Pace;
  /** Between two looks at the output of a turn that runs. */
  pollMs: number;
}

const BESIDE: Surroundings = {
  isElsewhere: false,
  hasLedger: ({ room }) => existsSync(room.ownDir),
  watch: ({ room }, onPath) => watchTasks(room.tasksDir, onPath),
  events: ({ room }) => openHere(room.ownDir),
  filePace: { restMs: 25, restTimes: 1 },
  pollMs: 100,
};

export function surroundingsOf(where: TopRequest['elsewhere'], effects: Effects): Surroundings {
  if (where === null) return BESIDE;
  return {
    isElsewhere: true,
    hasLedger: () => true,
    watch: () => ({ isWatching: () => false, renew() {}, close() {} }),
    events: () => openFar(where, effects),
    filePace: { restMs: 190, restTimes: 5 },
    pollMs: 500,
  };
}

/**
 * Hints which task files changed, from the system's watch of their folder: one watch, no look at the files. Where there is none
 * to be had, and after the folder was away, the look at everything that follows in some seconds finds what changed.
 * @param onPath path relative to the room
 */
function watchTasks(tasksDir: string, onPath: (path: string) => void): TaskWatch {
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
