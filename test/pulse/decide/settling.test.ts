// When edits are decided over, on a clock that is moved by hand.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TaskId } from '../../../src/core/ids.ts';
import { createSettling } from '../../../src/pulse/decide/settling.ts';
import { createPersistence } from '../../../src/pulse/persistence.ts';
import { defaultRoomConfig } from '../../../src/store/config-files.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const [A, B, C] = ['a', 'b', 'c'] as TaskId[] as [TaskId, TaskId, TaskId];

function rig({ isOver = true, once = false } = {}) {
  const effects = createManualClock();
  const firstLook = { isOver };
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
  const settling = createSettling({
    deps: { room: { dir }, effects, config: () => ({ ...defaultRoomConfig(), settleMs: 1_000 }) },
    decider: {
      decide: (id) => say(id),
      decideTogether: (ids, { holdsMany }) => say(`${ids.join('+')}${holdsMany ? ' held when many' : ''}`),
    },
    firstLook,
    idle: { check() {} },
    feedback: { unreadFiles: () => disk.unread, hearOfAll: async () => disk.hear() },
    once,
    keep: createPersistence(
      effects,
      (error) => troubles.push(error),
      () => {},
    ).keep,
    onTrouble: (error) => troubles.push(error),
  });
  return { dir, effects, firstLook, decided, settling, disk, ledger, troubles };
}

test('a checkout is decided over whole, however slowly its files come', async () => {
  const { dir, effects, decided, settling, disk } = rig();
  const git = join(dir, '.git');
  mkdirSync(git);
  writeFileSync(join(git, 'index.lock'), '');
  utimesSync(join(git, 'index.lock'), effects.now() / 1_000, effects.now() / 1_000);
  settling.edited(A);
  await effects.advanceGently(30_000);
  expect(decided).toEqual([]);
  rmSync(join(git, 'index.lock'));
  writeFileSync(join(git, 'index'), 'another');
  disk.hear = () => {
    disk.unread = 60;
  };
  await effects.advanceGently(5_000);
  settling.edited(B);
  await effects.advanceGently(5_000);
  expect(decided).toEqual([]);
  disk.unread = 0;
  settling.edited(C);
  await effects.advanceGently(900);
  expect(decided).toEqual([]);
  await effects.advanceGently(400);
  expect(decided).toEqual(['a+b+c held when many']);
});

test('a machine that is behind asks the disk before it decides', async () => {
  const { effects, decided, settling, disk } = rig();
  let asked = 0;
  disk.hear = () => {
    asked += 1;
  };
  settling.edited(A);
  await effects.advanceGently(1_000);
  expect([asked, decided.length]).toEqual([0, 1]);
  settling.edited(B);
  effects.beLate(60);
  await effects.advanceGently(1_060);
  expect([asked, decided.length]).toEqual([1, 2]);
});

test('a task is decided over once its edits were quiet, each edit counting anew', () => {
  const { effects, decided, settling } = rig();
  settling.edited(A);
  effects.advance(900);
  settling.edited(A);
  effects.advance(999);
  expect(decided).toEqual([]);
  expect(settling.isQuiet()).toBe(false);
  effects.advance(1);
  expect(decided).toEqual(['a held when many']);
  expect(settling.isQuiet()).toBe(true);
});

test('another reason to decide over a task leaves edits that settle alone', () => {
  const { effects, decided, settling } = rig();
  settling.edited(A);
  settling.decide(A);
  settling.decide(B);
  expect(decided).toEqual(['b']);
  effects.advance(1_000);
  settling.decide(A);
  expect(decided).toEqual(['b', 'a held when many', 'a']);
});

test('while a flood of files waits to be read nothing is decided, however slow the disk, for ten minutes at most', () => {
  const { effects, decided, settling, disk } = rig();
  disk.unread = 50;
  settling.edited(A);
  effects.advance(10_000);
  settling.edited(B);
  effects.advance(10_000);
  expect(decided).toEqual([]);
  disk.unread = 1;
  effects.advance(300);
  expect(decided).toEqual([]);
  disk.unread = 0;
  effects.advance(300);
  expect(decided).toEqual(['a+b held when many']);
  disk.unread = 50;
  settling.edited(C);
  effects.advance(602_000);
  expect(decided.at(-1)).toBe('c held when many');
});

test('edits made together are decided over together, but none waits for others longer than two seconds', () => {
  const { effects, decided, settling } = rig();
  settling.edited(A);
  effects.advance(600);
  settling.edited(B);
  effects.advance(1_000);
  expect(decided).toEqual(['a+b held when many']);
  settling.edited(A);
  for (let at = 0; at < 4; at += 1) {
    effects.advance(600);
    settling.edited(B);
    // What has settled and waits for the others is left alone too.
    settling.decide(A);
  }
  expect(decided).toHaveLength(1);
  effects.advance(600);
  expect(decided).toEqual(['a+b held when many', 'a held when many']);
});

test('a file that is about to become a task is waited for', () => {
  const { effects, decided, settling } = rig();
  settling.edited(A);
  settling.expectTask('tasks/new.md');
  effects.advance(1_500);
  expect(decided).toEqual([]);
  settling.taskCame('tasks/new.md');
  expect(decided).toEqual(['a held when many']);
  settling.expectTask('tasks/gone.md');
  settling.unexpectTask('tasks/gone.md');
  expect(settling.isQuiet()).toBe(true);
});

test('nothing is decided before the first look is over; what was edited until then is decided over after it', () => {
  const { effects, firstLook, decided, settling } = rig({ isOver: false });
  settling.edited(A);
  settling.edited(B);
  expect(decided).toEqual([]);
  firstLook.isOver = true;
  settling.decideGathered({ holdsMany: false });
  expect(decided).toEqual(['a+b']);
  settling.edited(C);
  expect(decided).toHaveLength(1);
  effects.advance(1_000);
  expect(decided).toEqual(['a+b', 'c held when many']);
});

test('a loop that runs once waits for no quiet time; a closed one decides over nothing', () => {
  const { decided, settling } = rig({ once: true });
  settling.edited(A);
  expect(decided).toEqual(['a held when many']);
  settling.close();
  settling.edited(B);
  expect(decided).toHaveLength(1);
});

test('F2: a request that came to nothing is made again only after a wait, longer each time, or for an edit', () => {
  const { effects, decided, settling } = rig();
  for (const waitMs of [500, 1_000, 2_000, 4_000]) {
    settling.cameToNothing(A);
    // The end of what was no turn asks at once whether there is more to do.
    settling.decide(A);
    effects.advance(waitMs - 1);
    settling.decide(A);
    expect(decided).toEqual([]);
    expect(settling.isQuiet()).toBe(false);
    effects.advance(1);
    expect(decided.splice(0)).toEqual(['a']);
  }
  settling.cameToNothing(A);
  settling.asked(A);
  expect(decided.splice(0)).toEqual(['a']);
  settling.cameToNothing(A);
  settling.edited(A);
  effects.advance(1_000);
  expect(decided.splice(0)).toEqual(['a held when many']);
  settling.cameToNothing(A);
  effects.advance(500);
  expect(decided).toEqual(['a']);
});

test('F2: a loop that ends when all has run gives up on a task whose requests come to nothing', () => {
  const { effects, decided, settling } = rig({ once: true });
  for (let at = 0; at < 10; at += 1) {
    settling.cameToNothing(A);
    settling.decide(A);
    effects.advance(60_000);
  }
  expect(decided).toEqual(['a', 'a', 'a']);
  expect(settling.isQuiet()).toBe(true);
  settling.decide(B);
  expect(decided.at(-1)).toBe('b');
});

test('what the ledger refuses is told, and decided over later and later until it takes it', () => {
  const { effects, decided, settling, ledger, troubles } = rig();
  ledger.refuses = true;
  settling.decide('a' as TaskId);
  settling.edited('b' as TaskId);
  settling.edited('c' as TaskId);
  effects.advance(1_000);
  expect(settling.isQuiet()).toBe(false);
  const atFirst = troubles.length;
  effects.advance(60_000);
  expect(troubles.length - atFirst).toBeGreaterThan(5);
  expect(troubles.length).toBeLessThan(25);
  ledger.refuses = false;
  effects.advance(120_000);
  expect(decided.toSorted()).toEqual(['a', 'b+c held when many']);
  expect(settling.isQuiet()).toBe(true);
});
