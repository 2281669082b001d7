// When edits are decided over, on a clock that is moved by hand.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TaskId } from '../../../src/core/ids.ts';
import { createDue } from '../../../src/pulse/due/due.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import type { Room } from '../../../src/store/room.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createPulseBase } from '../../support/pulse-base.ts';

const [A, B, C] = ['a', 'b', 'c'] as TaskId[] as [TaskId, TaskId, TaskId];

function rig({ isOver = true, once = false } = {}) {
  const effects = createManualClock();
  const decided: string[] = [];
  const troubles: unknown[] = [];
  const ledger = { refuses: false };
  const disk = { unread: 0, hear: () => {} };
  const dir = mkdtempSync(join(tmpdir(), 'settling-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  function say(words: string): void {
    if (ledger.refuses) throw new Error('no room on the disk');
    decided.push(words);
  }
  const base = createPulseBase({
    deps: {
      room: { dir } as Room,
      effects,
      config: () => ({ ...defaultRoomConfig(), settleMs: 1_000 }),
      agents: () => new Map(),
    },
    ...{ once, isOver, troubles },
  });
  const { dirtyPaths, dirtyTasks, firstScan } = base;
  dirtyPaths.countUnread = () => disk.unread;
  dirtyPaths.pushChanged = async () => disk.hear();
  const due = createDue(
    base,
    { requested() {} },
    {
      decide: (id) => say(id),
      decideTogether: (ids, { holdsMany }) => say(`${ids.join('+')}${holdsMany ? ' held when many' : ''}`),
      decideAll() {},
      inputChanged() {},
    },
  );
  /** Something asks for the task, and is decided over. */
  async function decide(id: TaskId): Promise<void> {
    dirtyTasks.push(id);
    await null;
  }
  const isQuiet = () => !base.isUnderWay();
  return { dir, effects, base, firstScan, decided, due, decide, isQuiet, disk, ledger, troubles };
}

test('a checkout is decided over whole, however slowly its files come', async () => {
  const { dir, effects, decided, disk, due } = rig();
  const git = join(dir, '.git');
  mkdirSync(git);
  writeFileSync(join(git, 'index.lock'), '');
  utimesSync(join(git, 'index.lock'), effects.now() / 1_000, effects.now() / 1_000);
  due.edited(A);
  await effects.advanceGently(30_000);
  expect(decided).toEqual([]);
  rmSync(join(git, 'index.lock'));
  writeFileSync(join(git, 'index'), 'another');
  disk.hear = () => {
    disk.unread = 60;
  };
  await effects.advanceGently(5_000);
  due.edited(B);
  await effects.advanceGently(5_000);
  expect(decided).toEqual([]);
  disk.unread = 0;
  due.edited(C);
  await effects.advanceGently(900);
  expect(decided).toEqual([]);
  await effects.advanceGently(400);
  expect(decided).toEqual(['a+b+c held when many']);
});

test('a machine that is behind asks the disk before it decides', async () => {
  const { effects, decided, disk, due } = rig();
  let asked = 0;
  disk.hear = () => {
    asked += 1;
  };
  due.edited(A);
  await effects.advanceGently(1_000);
  expect([asked, decided.length]).toEqual([0, 1]);
  due.edited(B);
  effects.beLate(60);
  await effects.advanceGently(1_060);
  expect([asked, decided.length]).toEqual([1, 2]);
});

test('a task is decided over once its edits were quiet, each edit counting anew', () => {
  const { effects, decided, due, isQuiet } = rig();
  due.edited(A);
  effects.advance(900);
  due.edited(A);
  effects.advance(999);
  expect(decided).toEqual([]);
  expect(isQuiet()).toBe(false);
  effects.advance(1);
  expect(decided).toEqual(['a held when many']);
  expect(isQuiet()).toBe(true);
});

test('another reason to decide over a task leaves edits that settle alone', async () => {
  const { effects, decided, due, decide } = rig();
  due.edited(A);
  await decide(A);
  await decide(B);
  expect(decided).toEqual(['b']);
  effects.advance(1_000);
  await decide(A);
  expect(decided).toEqual(['b', 'a held when many', 'a']);
});

test('while a flood of files waits to be read nothing is decided, however slow the disk, for ten minutes at most', () => {
  const { effects, decided, disk, due } = rig();
  disk.unread = 50;
  due.edited(A);
  effects.advance(10_000);
  due.edited(B);
  effects.advance(10_000);
  expect(decided).toEqual([]);
  disk.unread = 1;
  effects.advance(300);
  expect(decided).toEqual([]);
  disk.unread = 0;
  effects.advance(300);
  expect(decided).toEqual(['a+b held when many']);
  disk.unread = 50;
  due.edited(C);
  effects.advance(602_000);
  expect(decided.at(-1)).toBe('c held when many');
});

test('edits made together are decided over together, but none waits for others longer than two seconds', async () => {
  const { effects, decided, due, decide } = rig();
  due.edited(A);
  effects.advance(600);
  due.edited(B);
  effects.advance(1_000);
  expect(decided).toEqual(['a+b held when many']);
  due.edited(A);
  for (let at = 0; at < 4; at += 1) {
    effects.advance(600);
    due.edited(B);
    // What has settled and waits for the others is left alone too.
    await decide(A);
  }
  expect(decided).toHaveLength(1);
  effects.advance(600);
  expect(decided).toEqual(['a+b held when many', 'a held when many']);
});

test('a file that is about to become a task is waited for', () => {
  const { effects, decided, due, isQuiet, base } = rig();
  due.edited(A);
  base.dirtyPaths.expected.add('tasks/new.md');
  effects.advance(1_500);
  expect(decided).toEqual([]);
  base.dirtyPaths.expected.delete('tasks/new.md');
  effects.advance(1_500);
  expect(decided).toEqual(['a held when many']);
  expect(isQuiet()).toBe(true);
});

test('nothing is decided before the first look is over; what was edited until then is decided over after it', () => {
  const { effects, firstScan, decided, due } = rig({ isOver: false });
  due.edited(A);
  due.edited(B);
  expect(decided).toEqual([]);
  firstScan.isOver = true;
  due.decideGathered({ holdsMany: false });
  expect(decided).toEqual(['a+b']);
  due.edited(C);
  expect(decided).toHaveLength(1);
  effects.advance(1_000);
  expect(decided).toEqual(['a+b', 'c held when many']);
});

test('a loop that runs once waits for no quiet time; a closed one decides over nothing', () => {
  const { decided, due, base } = rig({ once: true });
  due.edited(A);
  expect(decided).toEqual(['a held when many']);
  base.closeWork();
  due.edited(B);
  expect(decided).toHaveLength(1);
});

test('F2: a request that came to nothing is made again only after a wait, longer each time, or for an edit', async () => {
  const { effects, decided, due, decide, isQuiet } = rig();
  for (const waitMs of [500, 1_000, 2_000, 4_000]) {
    due.cameToNothing(A);
    // The end of what was no turn asks at once whether there is more to do.
    await decide(A);
    effects.advance(waitMs - 1);
    await decide(A);
    expect(decided).toEqual([]);
    expect(isQuiet()).toBe(false);
    effects.advance(1);
    expect(decided.splice(0)).toEqual(['a']);
  }
  due.cameToNothing(A);
  due.asked(A);
  await null;
  expect(decided.splice(0)).toEqual(['a']);
  due.cameToNothing(A);
  due.edited(A);
  effects.advance(1_000);
  expect(decided.splice(0)).toEqual(['a held when many']);
  due.cameToNothing(A);
  effects.advance(500);
  expect(decided).toEqual(['a']);
});

test('F2: a loop that ends when all has run gives up on a task whose requests come to nothing', async () => {
  const { effects, decided, due, decide, isQuiet } = rig({ once: true });
  for (let at = 0; at < 10; at += 1) {
    due.cameToNothing(A);
    await decide(A);
    effects.advance(60_000);
  }
  expect(decided).toEqual(['a', 'a', 'a']);
  expect(isQuiet()).toBe(true);
  await decide(B);
  expect(decided.at(-1)).toBe('b');
});

test('what the ledger refuses is told, and decided over later and later until it takes it', async () => {
  const { effects, decided, ledger, troubles, due, decide, isQuiet } = rig();
  ledger.refuses = true;
  await decide('a' as TaskId);
  due.edited('b' as TaskId);
  due.edited('c' as TaskId);
  effects.advance(1_000);
  expect(isQuiet()).toBe(false);
  const atFirst = troubles.length;
  effects.advance(60_000);
  expect(troubles.length - atFirst).toBeGreaterThan(5);
  expect(troubles.length).toBeLessThan(25);
  ledger.refuses = false;
  effects.advance(120_000);
  expect(decided.toSorted()).toEqual(['a', 'b+c held when many']);
  expect(isQuiet()).toBe(true);
});
