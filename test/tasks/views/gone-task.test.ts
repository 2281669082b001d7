// Tasks that are over can be looked at wherever they went: archive, attic, history (S12).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureOf, openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
  rig.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
});
afterEach(() => rig.close());

test('an archived task', async () => {
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  await rig.tasks.call('archive', { ref: 'One' }, PERSON);
  for (const word of ['abc12345', 'One'])
    expect(await rig.tasks.call('show', { ref: word }, PERSON)).toMatchObject({
      name: 'One',
      status: 'done',
      archived: true,
    });
});

test('a deleted task, the newest of those with its name', async () => {
  await rig.tasks.call('remove', { ref: 'One' }, PERSON);
  rig.later(86_400_000);
  const { id } = await rig.tasks.call('create', { name: 'One', description: 'Another.' }, PERSON);
  await rig.tasks.call('remove', { ref: id }, PERSON);
  const detail = await rig.tasks.call('show', { ref: 'abc12345' }, PERSON);
  expect(detail).toMatchObject({
    id: 'abc12345',
    name: 'One',
    deleted: true,
    status: 'doing',
    why_not: null,
  });
  expect(detail.body).toBe('Do it.\n');
  expect((await rig.tasks.call('show', { ref: id }, PERSON)).body).toContain('Another.');
  expect((await failureOf(rig.tasks.call('context', { ref: 'abc12345' }, PERSON))).code).toBe('not_found');
  expect(
    (await failureOf(rig.tasks.call('set', { ref: 'abc12345', keys: { due: '2040-01-01' } }, PERSON))).code,
  ).toBe('not_found');
});

test('a deleted task has its title and its mark, also without a ledger', async () => {
  rig.save('One.md', '---\nid: abc12345\ntitle: The first, at last\n---\nDo it.\n');
  await rig.tasks.call('remove', { ref: 'One' }, PERSON);
  const said = { id: 'abc12345', name: 'One', title: 'The first, at last', deleted: true };
  const shows = async (word: string) => {
    expect(await rig.tasks.call('show', { ref: word }, PERSON)).toMatchObject(said);
    const { text, name } = await rig.tasks.call('brief', { ref: word }, PERSON);
    expect(name).toBe('One');
    expect(text).toContain('status: todo, deleted\n');
    expect(text).toContain('# The first, at last\n');
    expect(text).toContain('services: read true, write false, comment false');
  };
  await shows('abc12345');
  await rig.reopen(join(rig.dir, '.taskroom/other.db'));
  for (const word of ['abc12345', 'One', 'The first, at last']) await shows(word);
});

test('an archived task takes no words any more, and says so', async () => {
  await rig.tasks.call('complete', { ref: 'One' }, PERSON);
  await rig.tasks.call('archive', { ref: 'One' }, PERSON);
  expect((await rig.tasks.call('brief', { ref: 'One' }, PERSON)).text).toContain(
    'services: read true, write false, comment false',
  );
});

test('a task of which only the history tells, also without a ledger', async () => {
  await rig.tasks.call('complete', { ref: 'One', outcome: 'Green.' }, PERSON);
  rmSync(join(rig.dir, 'tasks/One.md'));
  await rig.tasks.call('release', {}, PERSON);
  const said = { id: 'abc12345', name: 'One', deleted: true, status: 'done' };
  expect(await rig.tasks.call('show', { ref: 'abc12345' }, PERSON)).toMatchObject(said);
  await rig.reopen(join(rig.dir, '.taskroom/other.db'));
  for (const word of ['abc12345', 'One'])
    expect(await rig.tasks.call('show', { ref: word }, PERSON)).toMatchObject(said);
  expect((await failureOf(rig.tasks.call('show', { ref: 'Nowhere' }, PERSON))).code).toBe('not_found');
});

test('a file that went by hand and left nothing is not found', async () => {
  await rig.tasks.call('release', {}, PERSON);
  rmSync(join(rig.dir, 'tasks/One.md'));
  await rig.tasks.call('release', {}, PERSON);
  expect((await failureOf(rig.tasks.call('show', { ref: 'abc12345' }, PERSON))).code).toBe('not_found');
});
