// How the screen hears of changes: beside the room from its files, its ledger and the socket of its daemon; from another
// machine from the daemon alone, which is asked less often.
import { existsSync } from 'node:fs';
import type { Effects } from '../../../effects.ts';
import type { Runtime } from '../../../runtime.ts';
import type { TopRequest } from '../../shapes/top-request.ts';
import { type OpenStream, openFar, openHere } from './event-link.ts';
import type { Pace } from './paced.ts';
import { type TaskWatch, watchTasks } from './task-watch.ts';

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
