// When edits are decided over, on a clock that is moved by hand.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskId } from '../../../src/core/ids.ts';
import { createDue } from '../../../src/pulse/due/due.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import type { Room } from '../../../src/store/room.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createTestLoop } from '../../support/test-loop.ts';

const [A, B, C] = ['a', 'b', 'c'] as TaskId[] as [TaskId, TaskId, TaskId];

function rig({ isOver = true, once = false } = {}) {
  const effects = createManualClock();
  const decided: string[] = [];
  const troubles: unknown[] = [];
  const ledger = { refuses: false };
  const disk = { unread: 0, hear: () => {} };
  const dir = tempFolder('settling');
  function say(words: string): void {
    if (ledger.refuses) throw new Error('no room on the disk');
    decided.push(words);
  }
  const loop = createTestLoop({
    deps: {
      room: { dir } as Room,
      effects,
      config: () => ({ ...defaultRoomConfig(), settleMs: 1_000 }),
      agents: () => new Map(),
    },
    ...{ once, isOver, troubles },
  });
  const { dirtyPaths, dirtyTasks, firstScan } = loop;
  Object.assign(dirtyPaths, {
    unread: {
      get size() {
        return disk.unread;
      },
    },
    pushChanged: async () => disk.hear(),
  });
  const due = createDue(
    loop,
    { startTurns() {} },
    {
      decideTogether: (ids, { holdsMany }) => say(`${ids.join('+')}${holdsMany ? ' held when many' : ''}`),
      decideAll() {},
    },
  );
  /** Pushes the task; resolves when the key was taken. */
  async function push(id: TaskId, why: 'look' | 'edited' | 'asked' | 'no_turn' = 'look'): Promise<void> {
    dirtyTasks.push(id, why);
    await null;
  }
  const edited = (id: TaskId) => push(id, 'edited');
  const isQuiet = () => !loop.isUnderWay();
  return { dir, effects, loop, firstScan, decided, due, push, edited, isQuiet, disk, ledger, troubles };
}

test('a checkout is decided over whole, however slowly its files come', async () => {
  const { dir, effects, decided, disk, edited } = rig();
  const git = join(dir, '.git');
  mkdirSync(git);
  writeFileSync(join(git, 'index.lock'), '');
  utimesSync(join(git, 'index.lock'), effects.now() / 1_000, effects.now() / 1_000);
  await edited(A);
  await effects.advanceGently(30_000);
  expect(decided).toEqual([]);
  rmSync(join(git, 'index.lock'));
  writeFileSync(join(git, 'index'), 'another');
  disk.hear = () => {
    disk.unread = 60;
  };
  await effects.advanceGently(5_000);
  await edited(B);
  await effects.advanceGently(5_000);
  expect(decided).toEqual([]);
  disk.unread = 0;
  await edited(C);
  await effects.advanceGently(900);
  expect(decided).toEqual([]);
  await effects.advanceGently(400);
  expect(decided).toEqual(['a+b+c held when many']);
});

test('a machine that is behind asks the disk before it decides', async () => {
  const { effects, decided, disk, edited } = rig();
  let asked = 0;
  disk.hear = () => {
    asked += 1;
  };
  await edited(A);
  await effects.advanceGently(1_000);
  expect([asked, decided.length]).toEqual([0, 1]);
  await edited(B);
  effects.beLate(60);
  await effects.advanceGently(1_060);
  expect([asked, decided.length]).toEqual([1, 2]);
});

test('a task is decided over once its edits were quiet, each edit counting anew', async () => {
  const { effects, decided, isQuiet, edited } = rig();
  await edited(A);
  effects.advance(900);
  await edited(A);
  effects.advance(999);
  expect(decided).toEqual([]);
  expect(isQuiet()).toBe(false);
  effects.advance(1);
  expect(decided).toEqual(['a held when many']);
  expect(isQuiet()).toBe(true);
});

test('while a flood of files waits to be read nothing is decided, however slow the disk, for ten minutes at most', async () => {
  const { effects, decided, disk, edited } = rig();
  disk.unread = 50;
  await edited(A);
  effects.advance(10_000);
  await edited(B);
  effects.advance(10_000);
  expect(decided).toEqual([]);
  disk.unread = 1;
  effects.advance(300);
  expect(decided).toEqual([]);
  disk.unread = 0;
  effects.advance(300);
  expect(decided).toEqual(['a+b held when many']);
  disk.unread = 50;
  await edited(C);
  effects.advance(602_000);
  expect(decided.at(-1)).toBe('c held when many');
});

test('edits made together are decided over together, but none waits for others longer than two seconds', async () => {
  const { effects, decided, edited, push } = rig();
  await edited(A);
  effects.advance(600);
  await edited(B);
  effects.advance(1_000);
  expect(decided).toEqual(['a+b held when many']);
  await edited(A);
  for (let at = 0; at < 4; at += 1) {
    effects.advance(600);
    await edited(B);
    // What has settled and waits for the others is left alone too.
    await push(A);
  }
  expect(decided).toHaveLength(1);
  effects.advance(600);
  expect(decided).toEqual(['a+b held when many', 'a held when many']);
});

test('a file that is about to become a task is waited for', async () => {
  const { effects, decided, isQuiet, loop, edited } = rig();
  await edited(A);
  loop.dirtyPaths.expected.add('tasks/new.md');
  effects.advance(1_500);
  expect(decided).toEqual([]);
  loop.dirtyPaths.expected.delete('tasks/new.md');
  effects.advance(1_500);
  expect(decided).toEqual(['a held when many']);
  expect(isQuiet()).toBe(true);
});

test('nothing is decided before the first look is over; what was edited until then is decided over after it', async () => {
  const { effects, firstScan, decided, due, edited } = rig({ isOver: false });
  await edited(A);
  await edited(B);
  expect(decided).toEqual([]);
  firstScan.isOver = true;
  due.decideGathered({ holdsMany: false });
  expect(decided).toEqual(['a+b']);
  await edited(C);
  expect(decided).toHaveLength(1);
  effects.advance(1_000);
  expect(decided).toEqual(['a+b', 'c held when many']);
});

test('a loop that runs once waits for no quiet time; a closed one decides over nothing', async () => {
  const { decided, loop, edited } = rig({ once: true });
  await edited(A);
  expect(decided).toEqual(['a held when many']);
  loop.closeWork();
  await edited(B);
  expect(decided).toHaveLength(1);
});

test('F2: a request that came to nothing is made again only after a wait, longer each time, or for an edit', async () => {
  const { effects, decided, isQuiet, edited, push } = rig();
  for (const waitMs of [500, 1_000, 2_000, 4_000]) {
    await push(A, 'no_turn');
    // The end of what was no turn asks at once whether there is more to do.
    await push(A);
    effects.advance(waitMs - 1);
    await push(A);
    expect(decided).toEqual([]);
    expect(isQuiet()).toBe(false);
    effects.advance(1);
    expect(decided.splice(0)).toEqual(['a']);
  }
  await push(A, 'no_turn');
  await push(A, 'asked');
  await null;
  expect(decided.splice(0)).toEqual(['a']);
  await push(A, 'no_turn');
  await edited(A);
  effects.advance(1_000);
  expect(decided.splice(0)).toEqual(['a held when many']);
  await push(A, 'no_turn');
  effects.advance(500);
  expect(decided).toEqual(['a']);
});
