// Many tasks changed at once hold nobody: between two files whatever else waits has its turn.
import { expect, test } from 'vitest';
import { openTestRoom } from '../test-room.ts';

test.each(['completeAll', 'removeAll'] as const)('%s lets others in between two files', async (name) => {
  const rig = openTestRoom();
  for (let index = 0; index < 30; index += 1)
    rig.save(`Task ${index}.md`, `---\nid: task${1000 + index}\nstatus: todo\n---\nDo it.\n`);
  await rig.call('list', { all: true });
  // Each step takes as long as others may be kept waiting.
  let nowMs = 0;
  Object.assign(rig.deps.effects, { monotonicMs: () => (nowMs += 20) });
  let turnsOfOthers = 0;
  const other = () => {
    turnsOfOthers += 1;
    waiting = setImmediate(other);
  };
  let waiting = setImmediate(other);
  const { tasks: changed } = await (name === 'completeAll'
    ? rig.call('completeAll', {})
    : rig.call('removeAll', { which: 'all' }));
  clearImmediate(waiting);
  expect(changed.length).toBe(30);
  expect(turnsOfOthers).toBeGreaterThanOrEqual(changed.length);
  await rig.close();
});
