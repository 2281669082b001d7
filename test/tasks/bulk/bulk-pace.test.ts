// Many tasks changed at once hold nobody: between two files whatever else waits has its turn.
import { expect, test } from 'vitest';
import { openTestRoom, PERSON } from '../test-room.ts';

test.each(['completeAll', 'removeAll'] as const)('%s lets others in between two files', async (name) => {
  const rig = openTestRoom();
  for (let index = 0; index < 30; index += 1)
    rig.save(`Task ${index}.md`, `---\nid: task${1000 + index}\nstatus: todo\n---\nDo it.\n`);
  await rig.tasks.call('list', { all: true }, PERSON);
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
    ? rig.tasks.call('completeAll', {}, PERSON)
    : rig.tasks.call('removeAll', { which: 'all' }, PERSON));
  clearImmediate(waiting);
  expect(changed.length).toBe(30);
  expect(turnsOfOthers).toBeGreaterThanOrEqual(changed.length);
  await rig.close();
});
