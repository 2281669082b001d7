// The runtime's own parts over a bench room, put together as runtime.ts does, for benches that measure one of them.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEventBus } from '../dist/core/events.js';
import type { TaskId } from '../dist/core/ids.js';
import { createNodeEffects } from '../dist/node.js';
import { createIntake, type Intake } from '../dist/pulse/intake.js';
import { roomIdentity } from '../dist/pulse/recovery.js';
import { openLedger } from '../dist/store/ledger/ledger.js';
import { openRoom } from '../dist/store/room.js';
import { loadSettings } from '../dist/store/settings.js';
import { createWriter } from '../dist/store/writer.js';
import type { TaskRoom } from '../dist/tasks/task-room.js';
import type { BenchRoom } from './room-files.ts';

export interface OpenRoom {
  deps: TaskRoom;
  close(): Promise<void>;
}

export function openBenchRoom({ dir }: Pick<BenchRoom, 'dir'>): OpenRoom {
  const room = openRoom(dir);
  const settings = loadSettings(room);
  const effects = createNodeEffects();
  const ledger = openLedger(room.ledgerPath);
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

/** The intake as the loop makes it; what it finds is counted and goes nowhere. */
export function createBenchIntake(deps: TaskRoom): { intake: Intake; observed(): number } {
  let count = 0;
  const intake = createIntake({
    deps,
    onObserved() {
      count += 1;
    },
    onSettled: (_ids: TaskId[]) => {},
    onCalm: () => {},
    onTrouble: rethrow,
    settleMs: () => 0,
  });
  return { intake, observed: () => count };
}

export function forgetLedger({ dir }: Pick<BenchRoom, 'dir'>): void {
  rmSync(join(dir, '.taskroom'), { recursive: true, force: true });
}

/** Takes in the whole room. Throws when a file is missing from what was taken in. */
export async function takeIn(deps: TaskRoom, expected: number): Promise<Intake> {
  const { intake, observed } = createBenchIntake(deps);
  await intake.sweep({ first: true, onProgress: () => {} });
  if (observed() !== expected) throw new Error(`${observed()} of ${expected} files were taken in`);
  return intake;
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
  ledger.database.prepare('UPDATE tasks SET consumed = revision').run();
  ledger.notes.setMeta('observed', String(effects.now()));
  ledger.notes.setMeta('room', roomIdentity(room));
  ledger.notes.setMeta('room.dir', room.dir);
}

function rethrow(error: unknown): void {
  throw error;
}
