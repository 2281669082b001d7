// The runtime's own parts over a bench room, put together as runtime.ts does, for benches that measure one of them.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEventBus } from '../src/core/events.ts';
import { createNodeEffects } from '../src/node.ts';
import { createObserve } from '../src/pulse/observe/observe.ts';
import { identityOf } from '../src/pulse/watch/watch-room.ts';
import { loadSettings } from '../src/store/files/settings.ts';
import { openLedger } from '../src/store/ledger/ledger.ts';
import { openRoom } from '../src/store/room.ts';
import { createWriter } from '../src/store/write/writer.ts';
import type { TaskRoom } from '../src/tasks/task-room.ts';
import { createTestLoop } from '../test/support/test-loop.ts';
import type { BenchRoom } from './room-files.ts';

export interface OpenRoom {
  deps: TaskRoom;
  close(): Promise<void>;
}

export function openBenchRoom({ dir }: Pick<BenchRoom, 'dir'>): OpenRoom {
  const room = openRoom(dir);
  const effects = createNodeEffects();
  const ledger = openLedger(room.ledgerPath, { effects });
  const settings = loadSettings(room, ledger);
  const writer = createWriter({ room, database: ledger.database, effects });
  const events = createEventBus(rethrow);
  const { config, agents } = settings;
  return {
    deps: { room, ledger, writer, effects, events, config, agents },
    async close() {
      await writer.close();
      ledger.close();
    },
  };
}

/** The station that observes as the loop makes it; what it finds is counted and goes nowhere. */
export function createBenchObserve(deps: TaskRoom) {
  let count = 0;
  const loop = createTestLoop({ deps, isOver: false });
  loop.observations.push = () => {
    count += 1;
  };
  return { ...createObserve(loop), observed: () => count, close: loop.closeWork };
}

export function forgetLedger({ dir }: Pick<BenchRoom, 'dir'>): void {
  rmSync(join(dir, '.taskroom'), { recursive: true, force: true });
}

/** Takes in the whole room. Throws when a file is missing from what was taken in. */
export async function takeIn(deps: TaskRoom, expected: number): Promise<{ close(): void }> {
  const observe = createBenchObserve(deps);
  await observe.rescan(true);
  const count = observe.observed();
  if (count !== expected) throw new Error(`${count} of ${expected} files were taken in`);
  return observe;
}

/** Makes the ledger of a room in which every task had its turn, so that nothing is due until an edit. */
export async function prepareLedger(room: BenchRoom): Promise<void> {
  forgetLedger(room);
  const { deps, close } = openBenchRoom(room);
  (await takeIn(deps, room.names.length)).close();
  putToRest(deps);
  await close();
}

/** As if every task that was seen had had its turn, and a daemon had run here. */
export function putToRest({ ledger, effects, room }: TaskRoom): void {
  ledger.database.run('UPDATE tasks SET consumed = revision');
  ledger.meta.set('observed', String(effects.now()));
  ledger.meta.set('room', identityOf(room.dir)!);
  ledger.meta.set('room.dir', room.dir);
}

function rethrow(error: unknown): void {
  throw error;
}
