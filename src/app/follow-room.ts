// Hears of changes in a room that this process opened: of files by the system's watch of their folder, of all else by the ledger. Its lists
// come from an index that is kept meanwhile.
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { type Effects, sleep } from '../effects.ts';
import type { OpenRoom } from './open-room.ts';

const SWEEP_MS = 30_000; // Lost hints cost this much time; where nothing watches, each change does.
const BLIND_MS = 3_000;

/** @param tickMs how often the ledger is asked whether it changed */
export async function followRoom(here: OpenRoom, effects: Effects, tickMs: number) {
  const { ownDir, tasksDir } = here.room;
  // Without a ledger the room was opened with an empty one in memory: it is to be opened anew when there is one.
  const hadLedger = existsSync(ownDir);
  let paths: string[] | null = [];
  await here.keepIndex({
    count: () => 0,
    since() {
      const told = paths;
      paths = [];
      return told;
    },
  });
  return {
    /** The next look is one at everything. */
    lookAtAll() {
      paths = null;
    },
    /** Changes are heard of from the call on, until `signal` or `isOver`, asked every half second, ends it. */
    async follow(onNews: () => void, signal: AbortSignal, isOver = async () => false): Promise<void> {
      let watcher: FSWatcher | null = null;
      const renew = () => {
        watcher ??= watchFolder(
          tasksDir,
          () => (watcher = null),
          (path) => {
            paths?.push(path);
            onNews();
          },
        );
      };
      renew();
      let version = here.ledgerVersion();
      const isEvery = (ms: number, tick: number) => tick % Math.ceil(ms / tickMs) === 0;
      for (let tick = 1; !signal.aborted; tick += 1) {
        await sleep(effects, tickMs, signal);
        const isSweep = isEvery(watcher === null ? BLIND_MS : SWEEP_MS, tick);
        if (isSweep) {
          paths = null;
          renew();
        }
        const now = here.ledgerVersion();
        if (isSweep || now !== version) onNews();
        version = now;
        if (isEvery(500, tick) && (existsSync(ownDir) !== hadLedger || (await isOver()))) break;
      }
      (watcher as FSWatcher | null)?.close();
    },
  };
}

/** Null where there is none to be had: tried again with the next look at everything. */
function watchFolder(dir: string, onEnd: () => void, onPath: (path: string) => void): FSWatcher | null {
  try {
    const watcher = watch(dir, (_event, name) => {
      if (name !== null) onPath(`tasks/${name}`);
    });
    return watcher.on('error', () => {
      watcher.close();
      onEnd();
    });
  } catch {
    return null;
  }
}
