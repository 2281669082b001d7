// Tasks that are over can be looked at wherever they went: archive, attic, history (S12).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { rig } from '../each-room.ts';
import { codeOf } from '../test-room.ts';

beforeEach(() => {
  rig.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
});

test('a deleted task has its title and its mark, also without a ledger', async () => {
  rig.save('One.md', '---\nid: abc12345\ntitle: The first, at last\n---\nDo it.\n');
  await rig.call('remove', { ref: 'One' });
  const said = { id: 'abc12345', name: 'One', title: 'The first, at last', deleted: true };
  const shows = async (word: string) => {
    expect(await rig.call('show', { ref: word })).toMatchObject(said);
    const { text, name } = await rig.call('brief', { ref: word });
    expect(name).toBe('One');
    expect(text).toContain('status: todo, deleted\n');
    expect(text).toContain('# The first, at last\n');
    expect(text).toContain('services: read true, write false, comment false');
  };
  await shows('abc12345');
  await rig.reopen(join(rig.dir, '.taskroom/other.db'));
  for (const word of ['abc12345', 'One', 'The first, at last']) await shows(word);
});

test('a task of which only the history tells, also without a ledger', async () => {
  await rig.call('complete', { ref: 'One', outcome: 'Green.' });
  rmSync(join(rig.dir, 'tasks/One.md'));
  await rig.call('release', {});
  const said = { id: 'abc12345', name: 'One', deleted: true, status: 'done' };
  expect(await rig.call('show', { ref: 'abc12345' })).toMatchObject(said);
  await rig.reopen(join(rig.dir, '.taskroom/other.db'));
  for (const word of ['abc12345', 'One']) expect(await rig.call('show', { ref: word })).toMatchObject(said);
  expect(await codeOf(rig.call('show', { ref: 'Nowhere' }))).toBe('not_found');
});
