// `deleted` as a status word (G5): whoever writes it, and wherever, the task's file goes to the attic.
import { beforeEach, describe, expect, test } from 'vitest';
import { agentIn, toolsOf } from '../../operations/tools/tool-room.ts';
import { rig } from '../each-room.ts';

const TURN = 'b11111111';

beforeEach(() => {
  rig.save('One.md', '---\nid: abc12345\nstatus: todo\n---\nDo it.\n');
  rig.save('Part.md', '---\nid: part1234\nparent: abc12345\n---\nA part.\n');
  rig.save('Other.md', '---\nid: other123\n---\nAnother.\n');
});
const listed = async () => (await rig.call('list', { all: true })).tasks.map(({ name }) => name);

describe('in a file', () => {
  beforeEach(() => rig.save('One.md', '---\nid: abc12345\nstatus: Deleted\n---\nDo it.\n'));

  test('hides it from lists at once, and is no mistake', async () => {
    const { tasks, invalid } = await rig.call('list', { all: true });
    expect(tasks.map(({ name }) => name)).toEqual(['Other', 'Part']);
    expect(invalid).toEqual([]);
    expect(await rig.call('status', {})).toMatchObject({ invalid: [], inbox: 0 });
    const text = JSON.stringify(await rig.call('list', { all: true }));
    expect(JSON.parse(text)).toMatchObject({ total: 2, invalid: [] });
  });
});

test.each([{ status: 'deleted' }, { ' Status': ' DELETED ' }, { status: 'deleted', priority: 'high' }])(
  'set %j',
  async (changes) => {
    const done = await rig.call('set', { ref: 'One', keys: changes as Record<string, string> });
    expect(done).toMatchObject({ id: 'abc12345', changed: true, attic: '.taskroom/attic/2040-01-02-One.md' });
    expect(rig.read(done.attic!).includes('priority: high')).toBe('priority' in changes);
    expect(await listed()).toEqual(['Other']);
  },
);

test.each([
  ['taskroom', 'update_task', { status: 'deleted' }],
  ['taskroom', 'bulk_tasks', { changes: [{ do: 'update', status: 'Deleted' }] }],
  ['claude', 'TaskUpdate', { status: 'deleted' }],
  ['todo', 'todo_update', { status: 'deleted' }],
] as const)('by a tool of %s: %s', async (dialect, name, input) => {
  rig.runTurn(TURN, 'abc12345');
  const ask = (access: 'full' | 'readonly') =>
    toolsOf(agentIn(rig, TURN, 'abc12345', access), dialect)(name, input);
  expect((await ask('readonly')).text).toContain('it may not complete, cancel or delete tasks');
  expect(await listed()).toEqual(['One', 'Other', 'Part']);
  expect((await ask('full')).isError).toBeUndefined();
  expect(await listed()).toEqual(['Other']);
});
