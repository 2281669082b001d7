// Lists look again at the paths of which something was heard: of a file that was being saved, once more when it was taken in.
import { expect, onTestFinished, test } from 'vitest';
import { createObserve } from '../../../src/pulse/observe/observe.ts';
import { createTestLoop } from '../../support/test-loop.ts';
import { openTestRoom } from '../../tasks/test-room.ts';

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
