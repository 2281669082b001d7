// A room with chores, a clock and timers moved by hand, and syncs that a test ends when it wants.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chores, createChores, createKnownChores } from '../../src/chores/chores.ts';
import type { ChoreResult } from '../../src/chores/sync-runs.ts';
import type { Chore } from '../../src/core/chore/chore.ts';
import type { RoomConfig } from '../../src/core/config/room-config.ts';
import { createEventBus, type RoomEvent } from '../../src/core/events.ts';
import { threadOfChore } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import { defaultRoomConfig } from '../../src/store/files/config-files.ts';
import { type Ledger, openLedger } from '../../src/store/ledger/ledger.ts';
import { openRoom } from '../../src/store/room.ts';
import { createManualClock, settle } from '../support/manual-clock.ts';
import { mirrorConfig } from '../support/mirror-config.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const MIRROR = mirrorConfig();

export function makeChore(name: string, more: Partial<Chore> = {}): Chore {
  const base = { name, path: `chores/${name}.md`, schedule: null, paused: false, mirror: null, owner: null };
  return { ...base, prompt: 'look around', ...more };
}

/** A sync that runs until the test ends it. */
export interface Sync {
  name: string;
  signal: AbortSignal;
  finish(message?: string): Promise<void>;
  fail(error: unknown): Promise<void>;
}

// Later than any file time of today, so that no file looks as if it were being written right now.
const START_MS = Date.UTC(2040, 0, 2, 3, 4, 5);

export function openRoomWithChores({ once = false } = {}) {
  const dir = tempFolder('taskroom-chores');
  mkdirSync(join(dir, 'tasks'));
  mkdirSync(join(dir, 'chores'));
  const room = openRoom(dir);
  const clock = createManualClock({ startMs: START_MS });
  const effects = { ...clock, randomBytes: (size: number) => new Uint8Array(size).fill(128) };
  const events = createEventBus((fault) => {
    throw fault;
  });
  events.subscribe((event) => rig.events.push(event));
  const open = (): void => {
    rig.ledger = openLedger(room.ledgerPath, { effects: createNodeEffects() });
    const { ledger } = rig;
    const config = () => ({ ...defaultRoomConfig(), ...rig.settings });
    const deps = { room, ledger, effects, events, config };
    rig.chores = createChores({
      deps,
      known: createKnownChores(deps),
      once,
      syncChore: (chore, signal) => runSync(rig.syncs, chore.name, signal),
      askTurn(chore, reason) {
        rig.asked.push(`${chore.name} ${reason}`);
        const who = { thread: threadOfChore(chore.name), origin: 'chore', agent: 'runbook' } as const;
        const how = { priority: 1, askedAt: effects.now(), forced: false, outside: true };
        ledger.requests.add({ ...who, ...how, reasons: [reason] });
      },
      stopTurn: (name, reason) => void rig.ended.push(`${name} ${reason}`),
      onChange: () => undefined,
      onTrouble: (error) => void rig.troubles.push(error),
    });
  };
  const rig = {
    ledger: null as unknown as Ledger,
    chores: null as unknown as Chores,
    events: [] as RoomEvent[],
    troubles: [] as unknown[],
    /** All that were started, in order. */
    syncs: [] as Sync[],
    /** `name reason` of turns that were asked for. */
    asked: [] as string[],
    /** `name reason` of work that was ended. */
    ended: [] as string[],
    settings: {} as Partial<RoomConfig>,
    now: clock.now,
    setClock: clock.setWallClock,
    /** Moves the clock and lets timers that are due run, to their end. */
    later: clock.advanceGently,
    save(name: string, text: string): void {
      writeFileSync(join(dir, 'chores/.saving'), text);
      renameSync(join(dir, 'chores/.saving'), join(dir, 'chores', name));
    },
    /** The runtime dies without a word, and another starts. */
    async crash(): Promise<void> {
      clock.dropTimers();
      rig.ledger.close();
      open();
    },
    async close(): Promise<void> {
      await rig.chores.stop();
      rig.ledger.close();
    },
  };
  open();
  return rig;
}

function runSync(syncs: Sync[], name: string, signal: AbortSignal): Promise<ChoreResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ChoreResult>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  syncs.push({
    name,
    signal,
    async finish(message = 'nothing new') {
      resolve({ message, counts: { created: 1 } });
      await settle();
    },
    async fail(error) {
      reject(error);
      await settle();
    },
  });
  return promise;
}
