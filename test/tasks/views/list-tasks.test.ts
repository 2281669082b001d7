import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runScan } from '../../../src/store/files/scan.ts';
import type { ListFilter } from '../../../src/tasks/shapes/task.ts';
import { rig, withAgents } from '../each-room.ts';
import { failureOf } from '../test-room.ts';

withAgents({ coder: {} });
beforeEach(() => {
  rig.save(
    'A.md',
    '---\nid: aaaa0001\nstatus: todo\nlabels: [x, y]\nsprint: 7\npriority: low\n---\n## Steps\n- [x] s\n- [ ] t\n',
  );
  rig.save(
    'B.md',
    '---\nid: bbbb0001\nstatus: doing\nowner: coder\ntitle: The Big one\npriority: high\nartifact: Plan.md\nscope: s1\n---\n',
  );
  rig.save('C.md', '---\nid: cccc0001\nblocked_by: [A]\n---\n');
  rig.save('D.md', '---\nid: dddd0001\nstatus: done\nblocked_by: [A]\n---\n');
  rig.save('E.md', '---\nid: eeee0001\npaused: yes\nowner: nobody\nsort: 1\n---\n');
  rig.save('F.md', 'No front matter.\n');
  rig.save('Broken.md', '---\nstatus: [\n---\n');
  writeFileSync(join(rig.dir, 'tasks/F.md~'), '');
  mkdirSync(join(rig.dir, 'tasks/sub.md'));
});

const names = async (filter?: ListFilter & { limit?: number }) =>
  (await rig.call('list', { all: true, ...filter })).tasks.map((task) => task.name);

test('a list shows everything, in order, without taking anything in', async () => {
  const { tasks, invalid } = await rig.call('list', { all: true });
  expect(tasks.map(({ name }) => name)).toEqual(['E', 'B', 'C', 'D', 'F', 'A']);
  expect(tasks.filter((task) => task.blocked).map(({ name }) => name)).toEqual(['C']);
  expect(tasks.find(({ name }) => name === 'A')).toMatchObject({
    id: 'aaaa0001',
    labels: ['x', 'y'],
    sprint: '7',
    steps: { done: 1, total: 2 },
    running: null,
    pending: false,
    held: false,
    retry_at: null,
  });
  expect(tasks.find(({ name }) => name === 'F')).toMatchObject({
    id: null,
    status: 'todo',
    requester: 'owner',
  });
  expect(invalid).toMatchObject([{ path: 'tasks/Broken.md', problems: [{ line: expect.any(Number) }] }]);
  expect(rig.deps.ledger.tasks.has() === false).toBe(true);
  expect(rig.read('tasks/F.md')).toBe('No front matter.\n');
  expect(
    runScan(rig.deps.room, new Map(), () => true)
      .skipped.map(({ path }) => path)
      .sort(),
  ).toEqual(['tasks/F.md~', 'tasks/sub.md']);
});

test('where nothing else is asked the order is that of creation, of others the natural one of names', async () => {
  for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) rig.save(`${name}.md`, '---\nstatus: done\n---\n');
  rig.save('Whole.md', '---\nid: whole123\nsort: 0\n---\n');
  for (const name of ['Zebra', 'Ant', 'T10', 'T2']) {
    await rig.call('create', { name, parent: 'Whole' });
    rig.later(1_000);
  }
  for (const name of ['H10', 'H2', 'H02a']) rig.save(`${name}.md`, '---\nparent: Whole\n---\n');
  const wanted = ['Zebra', 'Ant', 'T10', 'T2', 'H2', 'H02a', 'H10'];
  expect(await names({ status: ['todo'] })).toEqual(['Whole', ...wanted]);
  const listed = (await rig.call('list', { all: true })).tasks;
  const open = listed.filter(({ name }) => name.length > 1);
  expect(open.map(({ name }) => name)).toEqual(['Whole', ...wanted]);
  const detail = await rig.call('show', { ref: 'Whole' });
  // Of files that nobody observed yet the ledger knows nothing.
  expect(detail.subtasks.map(({ name }) => name)).toEqual(wanted.slice(0, 4));
  expect(detail.updated).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(listed).toContainEqual(expect.objectContaining({ name: 'Whole', updated: detail.updated }));
});

test('a file that does not say when it was made stands where it was first seen, before those nobody saw', async () => {
  for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) rig.save(`${name}.md`, '---\nstatus: done\n---\n');
  const say = (name: string) => rig.save(`${name}.md`, `---\nid: ${name.toLowerCase()}0000000\n---\n`);
  for (const name of ['Z', 'X']) {
    say(name);
    await rig.call('progress', { ref: name, text: 'Seen.' });
    rig.later(1_000);
    await rig.call('create', { name: `After ${name}` });
    rig.later(1_000);
  }
  for (const name of ['Q10', 'Q2']) rig.save(`${name}.md`, '');
  const wanted = ['Z', 'After Z', 'X', 'After X', 'Q2', 'Q10'];
  expect(await names({ status: ['todo'] })).toEqual(wanted);
  const listed = (await rig.call('list', { all: true })).tasks;
  expect(listed.filter(({ status }) => status === 'todo').map(({ name }) => name)).toEqual(wanted);
});

test('what is no date and no number does not disturb the order of others', async () => {
  const due = { A: '2026-12-24T18:00+25:99', B: '2026-12-25', C: '2026-12-24', D: 'soon' };
  for (const [name, at] of Object.entries(due)) rig.save(`${name}.md`, `---\ndue: ${at}\n---\n`);
  rig.save('E.md', '---\nsort: .nan\n---\n');
  rig.save('F.md', '---\nsort: -.inf\n---\n');
  expect(await names({ sort: 'due' })).toEqual(['C', 'B', 'A', 'D']);
  const { invalid } = await rig.call('list', { all: true });
  expect(invalid.map(({ path, problems }) => [path, problems[0]!.message])).toEqual([
    ['tasks/Broken.md', expect.any(String)],
    ['tasks/E.md', 'sort is .nan'],
    ['tasks/F.md', 'sort is -.inf'],
  ]);
});

test.each([
  ['Broken', 'invalid_file', undefined],
  ['Brokn', 'not_found', 'did you mean "Broken"?'],
  ['zzzzzzzz', 'not_found', 'see: taskroom list'],
  ['', 'not_found', 'see: taskroom list'],
  ['../room', 'not_found', 'see: taskroom list'],
  ['x'.repeat(300), 'not_found', 'see: taskroom list'],
  ['a\0b', 'not_found', 'see: taskroom list'],
])('show %j fails with %s', async (word, code, hint) => {
  for (const failing of [rig.call('show', { ref: word }), rig.call('complete', { ref: word })]) {
    const failure = await failureOf(failing);
    expect(failure.code).toBe(code);
    if (hint !== undefined) expect(failure.hint).toBe(hint);
  }
});

test('a prefix that fits two is ambiguous and names both; a name comes before a prefix', async () => {
  rig.save('Other.md', '---\nid: aaaa0002\n---\n');
  const failure = await failureOf(rig.call('show', { ref: 'aaaa' }));
  expect(failure).toMatchObject({ code: 'ambiguous', hint: 'give more letters of the id' });
  expect(failure.message).toContain('aaaa0001 (A), aaaa0002 (Other)');
  rig.save('aaaa.md', '---\nid: zzzz0001\n---\n');
  expect((await rig.call('show', { ref: 'aaaa' })).id).toBe('zzzz0001');
  expect((await rig.call('show', { ref: 'tasks/Other.md' })).id).toBe('aaaa0002');
  expect((await rig.call('show', { ref: 'task:local:aaaa0002' })).name).toBe('Other');
});
