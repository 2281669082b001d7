import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { archiveDue } from '../../../src/tasks/change/remove-task.ts';
import { rig } from '../each-room.ts';
import { codeOf, failureOf } from '../test-room.ts';

const DONE = '---\nid: abc12345\nstatus: todo\n---\n\r\nodd bytes \u00e9\t\n# x';
beforeEach(() => rig.save('One.md', DONE));

const DAY = 24 * 3600 * 1000;

test('remove moves to the attic and overwrites nothing there', async () => {
  expect(await rig.call('remove', { ref: 'One' })).toEqual({
    id: 'abc12345',
    name: 'One',
    path: 'tasks/One.md',
    changed: true,
    attic: '.taskroom/attic/2040-01-02-One.md',
  });
  expect(rig.names('tasks')).toEqual([]);
  expect(rig.deps.ledger.tasks.get('abc12345')).toMatchObject({ path: null });
  expect(rig.events.at(-1)).toMatchObject({ type: 'task.gone', id: 'abc12345' });
  rig.save('One.md', 'other');
  expect((await rig.call('remove', { ref: 'One.md' })).attic).toBe('.taskroom/attic/2040-01-02-One (2).md');
  expect(rig.read('.taskroom/attic/2040-01-02-One.md')).toBe(DONE);
  expect(rig.read('.taskroom/attic/2040-01-02-One (2).md')).toBe('other');
});

test('an open task is not archived, a finished one moves with its bytes', async () => {
  expect(await codeOf(rig.call('archive', { ref: 'One' }))).toBe('refused');
  await rig.call('complete', { ref: 'One' });
  const text = rig.read('tasks/One.md');
  rig.later(40 * DAY);
  mkdirSync(join(rig.dir, 'archive/2040-01'), { recursive: true });
  writeFileSync(join(rig.dir, 'archive/2040-01/One.md'), 'mine');
  expect(await rig.call('archive', { ref: 'One' })).toMatchObject({
    id: 'abc12345',
    path: 'archive/2040-01/One (2).md',
  });
  expect(rig.read('archive/2040-01/One (2).md')).toBe(text);
  expect(rig.read('archive/2040-01/One.md')).toBe('mine');
  expect(rig.deps.ledger.tasks.get('abc12345')).toMatchObject({
    path: null,
    status: 'done',
    archived: 'archive/2040-01/One (2).md',
  });
  const failure = await failureOf(rig.call('set', { ref: 'One', status: 'todo' }));
  expect(failure).toMatchObject({
    code: 'refused',
    message: expect.stringContaining('archive/2040-01/One (2).md'),
  });
});

test('what waits for an archived task, by id or by name, is free', async () => {
  rig.save('ById.md', '---\nid: bbbbbbb1\nblocked_by: [abc12345]\n---\n');
  rig.save('ByName.md', '---\nid: bbbbbbb2\nblocked_by: [One]\n---\n');
  rig.save('ByNothing.md', '---\nid: bbbbbbb3\nblocked_by: [Nothing]\n---\n');
  const blocked = async () =>
    (await rig.call('list', { all: true })).tasks.filter((task) => task.blocked).map((task) => task.name);
  expect(await blocked()).toEqual(['ById', 'ByName', 'ByNothing']);
  await rig.call('complete', { ref: 'One' });
  await rig.call('archive', { ref: 'One' });
  expect(await blocked()).toEqual(['ByNothing']);
  await rig.call('progress', { ref: 'ByName', text: 'still free' });
  expect(rig.deps.ledger.tasks.get('bbbbbbb2')).toMatchObject({ blocked: false });
});

test('archiveDue takes what has been finished for long enough, and leaves what has a turn or is broken', async () => {
  for (const name of ['Old', 'Busy', 'Broken', 'New'])
    rig.save(`${name}.md`, `---\nid: ${name.toLowerCase()}0001\nstatus: todo\n---\n`);
  for (const name of ['Old', 'Busy', 'Broken']) await rig.call('complete', { ref: name });
  rig.later(15 * DAY);
  await rig.call('cancel', { ref: 'New' });
  rig.runTurn('b11111111', 'busy0001');
  rig.save('Broken.md', '---\nstatus: [\n---\n');
  expect(await archiveDue(rig.deps)).toBe(1);
  expect(rig.names('archive/2040-01')).toEqual(['Old.md']);
  expect(rig.names('tasks')).toEqual(['Broken.md', 'Busy.md', 'New.md', 'One.md']);
  expect(rig.events.filter((event) => event.type === 'task.archived')).toEqual([
    { type: 'task.archived', id: 'old0001', name: 'Old', path: 'archive/2040-01/Old.md' },
  ]);
});

test('with a daemon that has not looked yet, an archived finish still has its history line', async () => {
  await rig.call('progress', { ref: 'One', text: 'seen' });
  rig.daemon = true;
  await rig.call('complete', { ref: 'One' });
  await rig.call('archive', { ref: 'One' });
  expect((await rig.call('history', {})).history).toMatchObject([{ id: 'abc12345', status: 'done' }]);
  expect(rig.deps.ledger.messages.receive()).toContainEqual({ kind: 'look', tasks: ['abc12345'] });
});

test('a task file that is a link leaves as what it points at', async () => {
  writeFileSync(join(rig.dir, 'elsewhere.md'), '---\nid: link0001\n---\n');
  symlinkSync('../elsewhere.md', join(rig.dir, 'tasks/Link.md'));
  const { attic } = await rig.call('remove', { ref: 'Link' });
  expect(lstatSync(join(rig.dir, attic)).isFile()).toBe(true);
  expect(rig.read(attic)).toBe('---\nid: link0001\n---\n');
  expect(rig.read('elsewhere.md')).toBe('---\nid: link0001\n---\n');
});
