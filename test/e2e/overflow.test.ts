// The kernel's queue of file events overflows in silence: what the doorbell missed, the sweep finds. The overflow is a
// real one, made by blocking the event loop of the process that watches.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeEffects } from '../../src/node.ts';
import { createTimers } from '../../src/pulse/state/work.ts';
import { createRoomWatch } from '../../src/pulse/watch/watch-room.ts';
import { runScan } from '../../src/store/files/scan.ts';
import { openRoom, type Room } from '../../src/store/room.ts';
import type { RoomHandle } from '../../src/tasks/task-room.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { createRoom, type E2eRoom, SETTINGS, until } from './room.ts';

const LIMIT = '/proc/sys/fs/inotify/max_queued_events';
let dir: string;
let room: Room;
let doorbell: ReturnType<typeof createRoomWatch> | null = null;
let e2e: E2eRoom | null = null;
let restore: () => void = () => {};

beforeEach(() => {
  dir = tempFolder('taskroom-overflow');
  mkdirSync(join(dir, 'tasks'));
  mkdirSync(join(dir, 'agents'));
  mkdirSync(join(dir, '.taskroom/wake'), { recursive: true });
  writeFileSync(join(dir, '.taskroom/wake/bell'), '');
  room = openRoom(dir);
});
afterEach(async () => {
  await doorbell?.close();
  doorbell = null;
  await e2e?.close();
  e2e = null;
  restore();
});

/** The kernel's limit, made small where we may, until `restore`: it counts for watchers that are opened meanwhile. */
function lowerLimit(limit: number): number {
  const now = readFileSync(LIMIT, 'utf8').trim();
  try {
    writeFileSync(LIMIT, String(limit));
    restore = () => {
      writeFileSync(LIMIT, now);
      restore = () => {};
    };
    return limit;
  } catch {
    return Number(now);
  }
}

test('events are lost without a word, and a scan finds each file they were about', async ({ skip }) => {
  if (!existsSync(LIMIT)) skip('no inotify here');
  const limit = lowerLimit(256);
  const rung = new Set<string>();
  const errors: unknown[] = [];
  const handlers = {
    onChores: () => {},
    onArtifacts: () => {},
    onSettings: () => {},
    onWake: () => {},
    onError: (error: unknown) => errors.push(error),
    onBlind: async () => 0,
  };
  const effects = createNodeEffects();
  const timers = createTimers(effects, { onTrouble: handlers.onError, keepsAlive: false });
  const base = { deps: { room, effects } as RoomHandle, timers };
  doorbell = createRoomWatch(base, { ...handlers, onTask: (path) => rung.add(path) });
  await doorbell.open();
  restore();
  // In one go: nothing is taken from the queue meanwhile.
  const count = limit * 2;
  for (let at = 0; at < count; at += 1) writeFileSync(join(room.tasksDir, `Task ${at}.md`), `Task ${at}.\n`);
  const last = `tasks/Task ${count}.md`;
  await until('the watcher works on after the overflow', () => {
    writeFileSync(join(room.dir, last), `${performance.now()}\n`);
    return rung.has(last);
  });
  expect(rung.size).toBeLessThan(count);
  expect(errors).toEqual([]);
  const { changed } = runScan(room, new Map(), () => false);
  expect(changed).toHaveLength(count + 1);
});

test('a daemon whose queue overflows sees every file all the same', async ({ skip }) => {
  if (!existsSync(LIMIT)) skip('no inotify here');
  e2e = await createRoom();
  e2e.settings(...SETTINGS, 'sweep: 1s', 'hold_above: 0');
  const limit = lowerLimit(64);
  if (limit > 1000) {
    console.error(
      'SKIPPED: the limit of the kernel can not be lowered here, so a daemon was NOT made to overflow',
    );
    skip('the limit of the kernel can not be lowered here');
  }
  const daemon = await e2e.up();
  restore();
  // A stopped process takes nothing from its queue either.
  daemon.signal('SIGSTOP');
  for (let at = 0; at < 120; at += 1)
    writeFileSync(e2e.at(`tasks/Task ${at}.md`), `---\nid: task${at}\nstatus: draft\n---\n`);
  daemon.signal('SIGCONT');
  await until('every file was seen', () => daemon.all('task.seen').length === 120);
  await e2e.quiet(daemon);
  expect(daemon.all('room.trouble')).toEqual([]);
});
