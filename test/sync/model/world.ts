// A room, a tracker and a sync engine that can die at any point and lie at any call, for the model-based test. Time is
// moved by hand, randomness comes from a seed, and files lie in memory where the system has such a place.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chore, MirrorConfig } from '../../../src/core/chore/chore.ts';
import { createNodeEffects } from '../../../src/node.ts';
import type { Client } from '../../../src/operations/client.ts';
import { openLedger } from '../../../src/store/ledger/ledger.ts';
import type { Sync, SyncOptions, SyncReport } from '../../../src/sync/sync.ts';
import type { TaskRoom } from '../../../src/tasks/task-room.ts';
import { createMemoryFactory } from '../../support/memory-provider/memory.ts';
import {
  createMemoryTracker,
  type MemoryTracker,
  TWO_STATES,
  WORKFLOW_STATES,
} from '../../support/memory-provider/tracker.ts';
import { mirrorChore } from '../../support/mirror-config.ts';
import { createRandom } from '../../support/random.ts';
import { createClockedEffects } from '../shared-clock.ts';
import { openSyncProcess, type SyncProcess, type SyncProcessOptions } from '../sync-process.ts';
import { createFaults, type Faults } from './faults.ts';
import { createMemoryOfWords, type Words } from './typed-words.ts';

/** How the mirror, the tracker and the room are set up. */
export interface WorldSetting {
  push: MirrorConfig['push'];
  prefer: MirrorConfig['prefer'];
  workflow: boolean;
  /** The tracker rewrites markdown it stores. */
  rewrites: boolean;
  partialComments: boolean;
  deletionTouches: boolean;
  pageSize: number;
  resolutionMs: number;
  onDelete: 'forget' | 'cancel';
  /** Issues that are over are mirrored as well. */
  closedToo: boolean;
  /** The first issue is a stranger's, and a person let it run. */
  stranger: boolean;
}

export interface World {
  readonly dir: string;
  readonly setting: WorldSetting;
  readonly tracker: MemoryTracker;
  readonly faults: Faults;
  readonly words: Words;
  /** Those of the process that lives now. */
  deps: TaskRoom;
  tasks: Client;
  sync: Sync;
  /** Bodies of comments and issues our account made, by key: one each, ever. */
  readonly made: Map<string, number>;
  /** The process died and was not started anew. */
  dead: boolean;
  /** Points left until the process dies; 0: it lives. */
  dieIn: number;
  now(): number;
  later(ms: number): void;
  /** Null when the process died on the way. */
  run(options?: Partial<SyncOptions>): Promise<SyncReport | null>;
  /** Something else this process does; false when it died on the way. */
  alive(work: () => Promise<unknown>): Promise<boolean>;
  restart(loseLedger: boolean): void;
  takeIn(): Promise<void>;
  read(path: string): string;
  paths(): string[];
  close(): Promise<void>;
}

const START_MS = Date.UTC(2040, 0, 2, 3, 4, 5);
const MEMORY = '/dev/shm';
const MARKER = /<!-- taskroom:([0-9a-z]{8,40}) -->\s*$/;

class Death extends Error {}

export function createWorld(setting: WorldSetting, seed: number): World {
  const dir = fs.mkdtempSync(join(fs.existsSync(MEMORY) ? MEMORY : tmpdir(), 'taskroom-model-'));
  fs.mkdirSync(join(dir, 'tasks'));
  fs.mkdirSync(join(dir, 'agents/runbook'), { recursive: true });
  fs.writeFileSync(join(dir, 'agents/runbook/agent.json'), '{"runner":"runbook"}');
  fs.mkdirSync(join(dir, '.taskroom'));
  emptyLedger(dir);
  fs.mkdirSync(join(dir, 'chores'));
  fs.writeFileSync(join(dir, 'chores/web.md'), '');
  const tracker = createMemoryTracker({
    states: setting.workflow ? WORKFLOW_STATES : TWO_STATES,
    resolutionMs: setting.resolutionMs,
    deletionTouches: setting.deletionTouches,
    ...(setting.rewrites ? { rewrite: (text: string) => text.replace(/^- /gm, '* ') } : {}),
  });
  const factory = createMemoryFactory(tracker, {
    pageSize: setting.pageSize,
    partialComments: setting.partialComments,
  });
  const clock = { nowMs: START_MS, monotonicMs: 0 };
  const random = createRandom(seed);
  const chores = [choreOf(setting)];
  const world = {
    ...{ dir, setting, tracker, faults: createFaults(tracker), words: createMemoryOfWords() },
    ...{ made: countMade(tracker), dead: false, dieIn: 0 },
    now: () => clock.nowMs,
    later(ms: number) {
      clock.nowMs += ms;
      tracker.advance(ms);
    },
    read: (path: string) => fs.readFileSync(join(dir, path), 'utf8'),
    paths: () =>
      fs
        .readdirSync(join(dir, 'tasks'))
        .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
        .sort()
        .map((name) => `tasks/${name}`),
  } as unknown as World;

  let process: SyncProcess;
  const start = (): void => {
    const effects = createClockedEffects(clock, random);
    const probe: SyncProcessOptions['probe'] = (_point, ledger) => {
      if (world.dieIn === 0) return;
      world.dieIn -= 1;
      if (world.dieIn > 0) return;
      world.dead = true;
      effects.end();
      // Nothing that runs on the way out can be recorded: as if the process were gone.
      ledger.database.close();
      throw new Death('died');
    };
    const config = { onDelete: setting.onDelete };
    process = openSyncProcess({ dir, effects, chores, factory, config, probe, quick: true });
    const { deps, tasks, sync, takeIn } = process;
    Object.assign(world, { deps, tasks, sync, takeIn });
  };

  const restart = (loseLedger: boolean): void => {
    if (!world.dead) {
      world.deps.ledger.close();
      world.dead = true;
    }
    if (loseLedger) forgetDeleted(world);
    if (loseLedger)
      for (const suffix of ['', '-wal', '-shm'])
        fs.rmSync(join(dir, '.taskroom', `ledger.db${suffix}`), { force: true });
    world.dead = false;
    world.dieIn = 0;
    start();
  };
  const alive = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (!world.dead) throw error;
      return false;
    }
  };
  Object.assign(world, {
    alive,
    async run(options: Partial<SyncOptions> = {}) {
      let report: SyncReport | null = null;
      const signal = new AbortController().signal;
      const all = { pull: true, push: true, byPerson: true, ...options };
      await alive(async () => {
        report = await world.sync.syncChore('web', all, signal);
      });
      return report;
    },
    restart,
    async close() {
      if (!world.dead) await process.close();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  });
  start();
  return world;
}

function choreOf({ push, prefer, closedToo }: WorldSetting): Chore {
  const state = closedToo ? 'all' : 'open';
  return mirrorChore('web', { push, prefer, filter: { labels: [], assignee: null, state } });
}

let template: Uint8Array | null = null;

/** A ledger without a row: its tables are made once for all sequences. */
function emptyLedger(dir: string): void {
  const path = join(dir, '.taskroom/ledger.db');
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(path + suffix, { force: true });
  if (template === null) {
    openLedger(path, { effects: createNodeEffects() }).close();
    template = fs.readFileSync(path);
  }
  fs.writeFileSync(path, template);
}

/** What is deleted upstream is unknown to a room without a ledger: it may be made anew. */
function forgetDeleted({ tracker, made }: World): void {
  const there = tracker.issues().flatMap(({ body, comments }) => [body, ...comments.map((one) => one.body)]);
  const keys = new Set(there.map((text) => MARKER.exec(text)?.[1]));
  for (const key of made.keys()) if (!keys.has(key)) made.delete(key);
}

/** Counts what is made under an idempotency key of our account, deleted since or not. */
function countMade(tracker: MemoryTracker): Map<string, number> {
  const made = new Map<string, number>();
  const count = (body: string | undefined, by: string | undefined): void => {
    const key = by === tracker.account ? MARKER.exec(body ?? '')?.[1] : undefined;
    if (key !== undefined) made.set(key, (made.get(key) ?? 0) + 1);
  };
  const { addComment, createIssue } = tracker;
  tracker.addComment = (ref, body, by) => {
    count(body, by);
    return addComment(ref, body, by);
  };
  tracker.createIssue = (draft, by, source) => {
    count(draft.body, by);
    return createIssue(draft, by, source);
  };
  return made;
}
