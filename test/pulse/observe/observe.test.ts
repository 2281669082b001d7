// What is observed of the files: lists hear of a path once more when it was taken in, and files that go together count as many from
// the first on, so that a branch switch cancels none.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDeletionDetection, createObserve } from '../../../src/pulse/observe/observe.ts';
import type { Loop } from '../../../src/pulse/state/loop.ts';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import { createTestLoop } from '../../support/test-loop.ts';
import { openTestRoom } from '../../tasks/test-room.ts';

const NAMES = ['a', 'b', 'c', 'd'];

/** Four tasks whose files were deleted and whose absence is to be confirmed, in a room that cancels what is deleted. */
async function openGone() {
  const rig = openTestRoom();
  onTestFinished(() => rig.close());
  rig.settings = { onDelete: 'cancel', holdAbove: 3 };
  for (const name of NAMES) rig.save(`${name}.md`, `---\nid: ${name}aaaaaaa\n---\nText.\n`);
  await refresh(rig.handle);
  const waiting = new Map<string, () => void>();
  const looks = { count: 0 };
  const timers = {
    set: (key: string, _ms: number, act: () => void) => void waiting.set(key, act),
    waiting: {
      get size() {
        return waiting.size;
      },
      keys() {
        looks.count += 1;
        return waiting.keys();
      },
    },
  };
  const fail = () => expect.unreachable('its path is looked at again');
  const { suspect } = createDeletionDetection({
    deps: rig.deps,
    dirtyPaths: {
      timers,
      stamps: rig.deps.ledger.files.stamps(),
      expected: new Set(),
      push: fail,
      retry: fail,
    },
    observations: { push() {} },
    quietMs: () => 0,
  } as unknown as Loop);
  const go = (name: string) => {
    rmSync(join(rig.dir, 'tasks', `${name}.md`));
    suspect(`tasks/${name}.md`);
  };
  const confirm = (name: string) => {
    const act = waiting.get(`tasks/${name}.md`)!;
    waiting.delete(`tasks/${name}.md`);
    act();
    return rig.deps.ledger.tasks.get(`${name}aaaaaaa` as never)!.status;
  };
  return { go, confirm, looks };
}

test('more than are held at once are no decision about any of them, the first included', async () => {
  const { go, confirm } = await openGone();
  for (const name of NAMES) go(name);
  expect(NAMES.map(confirm)).toEqual(['todo', 'todo', 'todo', 'todo']);
});

test('as many as are held at once are each canceled, also the later ones', async () => {
  const { go, confirm, looks } = await openGone();
  const few = NAMES.slice(0, 3);
  for (const name of few) go(name);
  expect(few.map(confirm)).toEqual(['canceled', 'canceled', 'canceled']);
  // Too few to decide anything: with each of thousands that go, the disk is not asked of all that wait.
  expect(looks.count).toBe(0);
});

// Lists look again at the paths of which something was heard: of a file that was being saved, once more when it was taken in.

test('a path is heard of once more when what it says was taken in', async () => {
  const rig = openTestRoom();
  onTestFinished(() => rig.close());
  const loop = createTestLoop({ deps: rig.deps });
  onTestFinished(() => loop.closeWork());
  createObserve(loop);
  rig.save('a.md', '---\nid: aaaaaaaa\n---\nText.\n');
  const { push, recent } = loop.dirtyPaths;
  const takenIn = push('tasks/a.md');
  const heard = recent.count();
  await takenIn;
  expect(rig.deps.ledger.tasks.byPath('tasks/a.md')).not.toBeNull();
  expect(recent.since(heard)).toEqual(['tasks/a.md']);
});
