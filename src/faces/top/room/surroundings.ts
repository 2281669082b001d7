// How the screen hears of changes: beside the room from its files, its ledger and the socket of its daemon; from another
// machine from the daemon alone, which is asked less often.
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { RoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';
import type { Client } from '../../../operations/client.ts';
import type { OpenRoom, RoomClient } from '../../../runtime.ts';
import type { TaskRow } from '../../../tasks/shapes/task.ts';
import type { TopRequest } from '../../shapes/top-request.ts';
import { type OpenStream, openFar, openHere } from './event-link.ts';
import type { Pace } from './paced.ts';

export interface LiveTasks {
  tasks(): readonly TaskRow[];
  /** Takes in what these files say now; every file of the room where it is null. */
  look(paths: Iterable<string> | null): Promise<void>;
  version(): number;
}

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
  hasLedger(runtime: RoomClient): boolean;
  watch(runtime: RoomClient, onPath: (path: string) => void): TaskWatch;
  events(runtime: RoomClient): OpenStream;
  live(runtime: RoomClient): Promise<LiveTasks>;
  filePace: Pace;
  /** Between two looks at the output of a turn that runs. */
  pollMs: number;
}

/** @throws RoomError `not_allowed` inside a turn */
function beside({ here }: RoomClient): OpenRoom {
  if (here !== null) return here;
  throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
}

const BESIDE: Surroundings = {
  isElsewhere: false,
  hasLedger: (client) => existsSync(beside(client).room.ownDir),
  watch: (client, onPath) => watchTasks(beside(client).room.tasksDir, onPath),
  events: (client) => openHere(beside(client).room.ownDir),
  async live(client) {
    const room = beside(client);
    let paths: readonly string[] | null = null;
    const index = await room.keepIndex({ count: () => 0, since: () => paths });
    return {
      tasks: () => index.rows,
      look(given) {
        paths = given === null ? null : [...given];
        return index.look();
      },
      version: room.ledgerVersion,
    };
  },
  filePace: { restMs: 25, restTimes: 1 },
  pollMs: 100,
};

export function surroundingsOf(where: TopRequest['elsewhere'], effects: Effects): Surroundings {
  if (where === null) return BESIDE;
  return {
    isElsewhere: true,
    hasLedger: () => true,
    live: async ({ tasks }) => liveElsewhere(tasks),
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

/** The whole list, asked for anew with each look. */
function liveElsewhere({ call }: Client): LiveTasks {
  let views: ReturnType<LiveTasks['tasks']> = [];
  return {
    tasks: () => views,
    async look() {
      views = (await call('list', { all: true }, { kind: 'person' }, true)).tasks;
    },
    // The daemon tells what changed.
    version: () => 0,
  };
}
