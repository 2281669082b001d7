// A real room, a real ledger and an in-memory tracker, with a chore that mirrors it.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type MirrorConfig, PUSHES } from '../../src/core/chore/chore.ts';
import type { RemoteRef } from '../../src/providers/provider.ts';
import {
  createSync,
  type Sync,
  type SyncOptions,
  type SyncPoint,
  type SyncReport,
} from '../../src/sync/sync.ts';
import { freshTaskId } from '../../src/tasks/observe/give-id.ts';
import { refresh } from '../../src/tasks/observe/refresh.ts';
import { createMemoryFactory, type MemoryFactoryOptions } from '../support/memory-provider/memory.ts';
import {
  createMemoryTracker,
  type MemoryTracker,
  type MemoryTrackerOptions,
} from '../support/memory-provider/tracker.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { openTestRoom } from '../tasks/test-room.ts';
import { mirroredFiles } from './mirrored-files.ts';

export type MemoryMirror = ReturnType<typeof openMemoryMirror>;

export const ALL_PUSHED: MirrorConfig['push'] = PUSHES.filter((one) => one !== 'notes' && one !== 'steps');

export interface MemoryMirrorOptions {
  mirror?: Partial<MirrorConfig>;
  provider?: MemoryFactoryOptions;
  tracker?: MemoryTrackerOptions;
}

/** Closed when the test is over. */
export function openMemoryMirror(options: MemoryMirrorOptions = {}) {
  const room = openTestRoom();
  const tracker = createMemoryTracker(options.tracker);
  const factory = createMemoryFactory(tracker, options.provider);
  const wire = (): Sync =>
    createSync({
      ...room.deps,
      chores: () => rig.chores,
      factory: async () => factory,
      freshTaskId: () => freshTaskId(room.deps),
      refresh: () => refresh(room.handle),
      announce: () => refresh(room.handle),
      isGuest: () => rig.guest,
      probe: (point) => rig.probe?.(point),
    });
  const rig = {
    room,
    tracker,
    sync: wire(),
    chores: [mirrorChore('web', options.mirror)],
    /** Another process runs the room. */
    guest: false,
    /** Set by a test to stop the process at a point: what it throws goes through. */
    probe: null as ((point: SyncPoint) => void) | null,
    run: (more: Partial<SyncOptions> = {}, chore = 'web'): Promise<SyncReport> =>
      rig.sync.syncChore(chore, { pull: true, push: true, ...more }, new AbortController().signal),
    ...mirroredFiles(room.dir, (): Sync => rig.sync),
    /** Makes an issue and mirrors it. */
    async mirrored(draft: Parameters<MemoryTracker['createIssue']>[0]): Promise<RemoteRef> {
      const ref = tracker.createIssue(draft);
      await rig.run();
      return ref;
    },
    /** A new process on the same room. */
    async restart(): Promise<void> {
      rig.probe = null;
      await rig.sync.close();
      await room.reopen();
      rig.sync = wire();
    },
    remove: (path: string) => rmSync(join(room.dir, path)),
  };
  onTestFinished(async () => {
    await rig.sync.close();
    await room.close();
  });
  return rig;
}

/** The mirror of the test that runs, once it has opened one. */
export let rig: MemoryMirror;
export function open(options?: MemoryMirrorOptions): MemoryMirror {
  rig = openMemoryMirror(options);
  return rig;
}

/** Fails at the first time this point is reached. */
export function dieAt(rig: MemoryMirror, point: SyncPoint, times = 1): void {
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
