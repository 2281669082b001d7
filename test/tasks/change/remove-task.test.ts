import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveFile } from '../../../src/store/write/move-file.ts';
import { archiveDue } from '../../../src/tasks/change/remove-task.ts';
import { failureOf, openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

const DONE = '---\nid: abc12345\nstatus: todo\n---\n\r\nodd bytes \u00e9\t\n# x';
let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
  rig.save('One.md', DONE);
});
afterEach(() => rig.close());

const DAY = 24 * 3600 * 1000;

test('remove moves to the attic and overwrites nothing there', async () => {
  expect(await rig.tasks.call('remove', { ref: 'One' }, PERSON)).toEqual({
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
  expect((await rig.tasks.call('remove', { ref: 'One.md' }, PERSON)).attic).toBe(
    '.taskroom/attic/2040-01-02-One (2).md',
  );
  expect(rig.read('.taskroom/attic/2040-01-02-One.md')).toBe(DONE);
  expect(rig.read('.taskroom/attic/2040-01-02-One (2).md')).toBe('other');
});

test('a broken file can be removed by its name', async () => {
  rig.save('Broken.md', '---\nstatus: [\n---\n');
  expect(await rig.tasks.call('remove', { ref: 'Broken' }, PERSON)).toMatchObject({
    id: null,
    attic: '.taskroom/attic/2040-01-02-Broken.md',
  });
});

test('an open task is not archived, a finished one moves with its bytes', async () => {
  expect((await failureOf(rig.tasks.call('archive', { ref: 'One' }, PERSON))).code).toBe('refused');
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  const text = rig.read('tasks/One.md');
  rig.later(40 * DAY);
  mkdirSync(join(rig.dir, 'archive/2040-01'), { recursive: true });
  writeFileSync(join(rig.dir, 'archive/2040-01/One.md'), 'mine');
  expect(await rig.tasks.call('archive', { ref: 'One' }, PERSON)).toMatchObject({
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
  const failure = await failureOf(rig.tasks.call('set', { ref: 'One', status: 'todo' }, PERSON));
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
    (await rig.tasks.call('list', { all: true }, PERSON)).tasks
      .filter((task) => task.blocked)
      .map((task) => task.name);
  expect(await blocked()).toEqual(['ById', 'ByName', 'ByNothing']);
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  await rig.tasks.call('archive', { ref: 'One' }, PERSON);
  expect(await blocked()).toEqual(['ByNothing']);
  await rig.tasks.call('progress', { ref: 'ByName', text: 'still free' }, PERSON);
  expect(rig.deps.ledger.tasks.get('bbbbbbb2')).toMatchObject({ blocked: false });
});

test('an archived file that is moved back is the same task again', async () => {
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  const { path } = await rig.tasks.call('archive', { ref: 'One' }, PERSON);
  rig.save('One.md', rig.read(path).replace('done', 'todo'));
  rmSync(join(rig.dir, path));
  await rig.tasks.call('progress', { ref: 'One', text: 'again' }, PERSON);
  expect(rig.deps.ledger.tasks.get('abc12345')).toMatchObject({
    path: 'tasks/One.md',
    archived: null,
    status: 'todo',
  });
});

test('archiveDue takes what has been finished for long enough, and leaves what has a turn or is broken', async () => {
  for (const name of ['Old', 'Busy', 'Broken', 'New'])
    rig.save(`${name}.md`, `---\nid: ${name.toLowerCase()}0001\nstatus: todo\n---\n`);
  for (const name of ['Old', 'Busy', 'Broken']) await rig.tasks.call('complete', { ref: name }, PERSON);
  rig.later(15 * DAY);
  await rig.tasks.call('cancel', { ref: 'New' }, PERSON);
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
  await rig.tasks.call('progress', { ref: 'One', text: 'seen' }, PERSON);
  rig.daemon = true;
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  await rig.tasks.call('archive', { ref: 'One' }, PERSON);
  expect((await rig.tasks.call('history', {}, PERSON)).history).toMatchObject([
    { id: 'abc12345', status: 'done' },
  ]);
  expect(rig.deps.ledger.messages.receive()).toContainEqual({ kind: 'look', tasks: ['abc12345'] });
});

test('a task file that is a link leaves as what it points at', async () => {
  writeFileSync(join(rig.dir, 'elsewhere.md'), '---\nid: link0001\n---\n');
  symlinkSync('../elsewhere.md', join(rig.dir, 'tasks/Link.md'));
  const { attic } = await rig.tasks.call('remove', { ref: 'Link' }, PERSON);
  expect(lstatSync(join(rig.dir, attic)).isFile()).toBe(true);
  expect(rig.read(attic)).toBe('---\nid: link0001\n---\n');
  expect(rig.read('elsewhere.md')).toBe('---\nid: link0001\n---\n');
});

test('a move that is refused leaves nothing behind', () => {
  const from = join(rig.dir, 'tasks/One.md');
  const refuse = () => {
    throw new Error('no');
  };
  expect(() => moveFile(from, join(rig.dir, 'x/One.md'), refuse)).toThrow('no');
  expect(() => moveFile(join(rig.dir, 'tasks/None.md'), join(rig.dir, 'x/None.md'))).toThrow('is gone');
  expect(rig.names('x')).toEqual([]);
  expect(readFileSync(from, 'utf8')).toBe(DONE);
});
