// A real room, a real ledger and an in-memory tracker, with a chore that mirrors it.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chore, DEFAULT_PUSH, type MirrorConfig, PUSHES } from '../../src/core/chore/chore.ts';
import type { TaskId } from '../../src/core/ids.ts';
import {
  createSync,
  type Sync,
  type SyncOptions,
  type SyncPoint,
  type SyncReport,
} from '../../src/sync/sync.ts';
import { refresh } from '../../src/tasks/observe/refresh.ts';
import { freshTaskId } from '../../src/tasks/observe/used-ids.ts';
import { createMemoryFactory, type MemoryFactoryOptions } from '../support/memory-provider/memory.ts';
import {
  createMemoryTracker,
  type MemoryTracker,
  type MemoryTrackerOptions,
} from '../support/memory-provider/tracker.ts';
import { createRig, type Rig } from '../tasks/room-rig.ts';

export interface SyncRig {
  room: Rig;
  tracker: MemoryTracker;
  sync: Sync;
  chores: Chore[];
  /** Another process runs the room. */
  guest: boolean;
  /** Set by a test to stop the process at a point: what it throws goes through. */
  probe: ((point: SyncPoint) => void) | null;
  run(options?: Partial<SyncOptions>, chore?: string): Promise<SyncReport>;
  /** Path of the task that mirrors this issue. */
  pathOf(ref: string): string;
  taskOf(ref: string): TaskId;
  read(ref: string): string;
  /** Replaces words in the file as an editor does. */
  edit(ref: string, from: string | RegExp, to: string): void;
  /** A new process on the same room. */
  restart(): Promise<void>;
  remove(path: string): void;
  close(): Promise<void>;
}

export const ALL_PUSHED: MirrorConfig['push'] = PUSHES.filter((one) => one !== 'notes' && one !== 'steps');

export interface SyncRigOptions {
  mirror?: Partial<MirrorConfig>;
  provider?: MemoryFactoryOptions;
  tracker?: MemoryTrackerOptions;
}

export function mirrorChore(name: string, mirror: Partial<MirrorConfig> = {}): Chore {
  const config: MirrorConfig = {
    provider: 'memory',
    source: 'acme/web',
    filter: { labels: [], assignee: null, state: 'open' },
    push: [...DEFAULT_PUSH],
    prefer: 'remote',
    trust: { roles: null, logins: [] },
    owner: null,
    fields: null,
    url: null,
    options: {},
    ...mirror,
  };
  return {
    name,
    path: `chores/${name}.md`,
    schedule: null,
    paused: false,
    mirror: config,
    owner: null,
    prompt: '',
  };
}

export function createSyncRig(options: SyncRigOptions = {}): SyncRig {
  const room = createRig();
  const tracker = createMemoryTracker(options.tracker);
  const factory = createMemoryFactory(tracker, options.provider);
  const rig = {
    room,
    tracker,
    probe: null,
    guest: false,
    chores: [mirrorChore('web', options.mirror)],
  } as unknown as SyncRig;
  const wire = (): void => {
    rig.sync = createSync({
      ...room.deps,
      chores: () => rig.chores,
      factory: async () => factory,
      freshTaskId: () => freshTaskId(room.deps),
      refresh: () => refresh(room.desk),
      announce: () => refresh(room.desk),
      isGuest: () => rig.guest,
      probe: (point) => rig.probe?.(point),
    });
  };
  Object.assign(rig, {
    async run(more: Partial<SyncOptions> = {}, chore = 'web') {
      return rig.sync.syncChore(chore, { pull: true, push: true, ...more }, new AbortController().signal);
    },
    taskOf(ref: string) {
      const view = rig.sync.mirrors().find((one) => one.ref === ref);
      if (!view) throw new Error(`${ref} is not mirrored`);
      return view.task;
    },
    pathOf(ref: string) {
      const view = rig.sync.mirrors().find((one) => one.ref === ref);
      if (!view?.path) throw new Error(`${ref} has no file`);
      return view.path;
    },
    read: (ref: string) => readFileSync(join(room.dir, rig.pathOf(ref)), 'utf8'),
    edit(ref: string, from: string | RegExp, to: string) {
      const path = join(room.dir, rig.pathOf(ref));
      const before = readFileSync(path, 'utf8');
      const after = before.replace(from, to);
      if (after === before) throw new Error(`nothing to edit in ${path}`);
      writeFileSync(join(room.dir, 'tasks/.saving'), after);
      renameSync(join(room.dir, 'tasks/.saving'), path);
    },
    async restart() {
      rig.probe = null;
      await rig.sync.close();
      await room.reopen();
      wire();
    },
    remove: (path: string) => rmSync(join(room.dir, path)),
    async close() {
      await rig.sync.close();
      await room.close();
    },
  });
  wire();
  return rig;
}

/** Fails at the first time this point is reached. */
export function dieAt(rig: SyncRig, point: SyncPoint, times = 1): void {
  let left = times;
  rig.probe = (reached) => {
    if (reached !== point) return;
    left -= 1;
    if (left === 0) {
      rig.probe = null;
      throw new Error(`died at ${point}`);
    }
  };
}
