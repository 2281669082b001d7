// The history line of each finish: once, whatever the disk and crashes do.
import { mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { appendHistory, readHistory } from '../../../src/store/files/history.ts';
import { applyConsequences } from '../../../src/tasks/observe/consequences.ts';
import { rig } from '../each-room.ts';
import { codeOf } from '../test-room.ts';

const HEAD = '---\nid: abc12345\nstatus: todo\n---\n';
const BODY = '\n## Steps\n- [ ] one\n- [ ] two\n';

beforeEach(() => rig.save('One.md', HEAD + BODY));

const history = () => readHistory(rig.deps.room.historyPath, 100);
const types = () => rig.events.map((event) => event.type);

describe('history and a disk that refuses', () => {
  test('the line stays pending, is told once, and is written when the disk is mended', async () => {
    mkdirSync(rig.deps.room.historyPath);
    await rig.call('complete', { ref: 'One' });
    expect(types().filter((type) => type === 'room.trouble')).toHaveLength(1);
    expect(await codeOf(applyConsequences(rig.deps))).toBe('io');
    expect(rig.deps.ledger.consequences.all()).toHaveLength(1);
    rmSync(rig.deps.room.historyPath, { recursive: true });
    rig.later(1000);
    await applyConsequences(rig.deps);
    expect(history()).toMatchObject([{ id: 'abc12345', archived_at: '2040-01-02T03:04:05.000Z' }]);
    expect(rig.deps.ledger.consequences.all()).toEqual([]);
  });

  test('a crash between the line and its record adds no second line', async () => {
    await rig.call('set', { ref: 'One', status: 'doing' });
    mkdirSync(rig.deps.room.historyPath);
    await rig.call('complete', { ref: 'One' });
    rmSync(rig.deps.room.historyPath, { recursive: true });
    const { task: id, at } = rig.deps.ledger.consequences.all()[0]!;
    const task = { name: 'One' } as never;
    const line = { archived_at: new Date(at).toISOString(), id, name: 'One', status: 'done', task, text: '' };
    appendHistory(rig.deps.room.historyPath, [{ line, mode: null }]);
    await rig.reopen();
    await applyConsequences(rig.deps);
    expect(history()).toHaveLength(1);
    expect(rig.deps.ledger.consequences.all()).toEqual([]);
  });

  test('a file that was broken when it was deleted still has its line', async () => {
    rig.settings = { onDelete: 'cancel' };
    await rig.call('progress', { ref: 'One', text: 'x' });
    rig.save('One.md', '---\nstatus: [\n---\n');
    await rig.call('release', {});
    unlinkSync(join(rig.dir, 'tasks/One.md'));
    await rig.call('release', {});
    expect(history()).toMatchObject([
      { id: 'abc12345', name: 'One', status: 'canceled', task: { status: 'canceled', steps: [] } },
    ]);
  });
});

test('history is read by id, name and prefix, also of tasks the ledger does not know', async () => {
  await rig.call('complete', { ref: 'One' });
  writeFileSync(rig.deps.room.historyPath, `${rig.read('history.jsonl')}{"torn`, { flag: 'w' });
  const old = {
    archived_at: '2000-01-01T00:00:00.000Z',
    id: 'old00000',
    name: 'Old',
    status: 'done',
    task: {} as never,
    text: '',
  };
  appendHistory(rig.deps.room.historyPath, [{ line: old, mode: null }]);
  expect((await rig.call('history', {})).history.map(({ id }) => id)).toEqual(['old00000', 'abc12345']);
  for (const ref of ['abc12345', 'abc', 'One', 'tasks/One.md'])
    expect((await rig.call('history', { ref })).history).toMatchObject([{ id: 'abc12345' }]);
  for (const ref of ['old00000', 'Old'])
    expect((await rig.call('history', { ref })).history).toMatchObject([{ id: 'old00000' }]);
  expect(await codeOf(rig.call('history', { ref: 'Older' }).then((said) => said.history))).toBe('not_found');
  expect((await rig.call('history', { limit: 1 })).history).toHaveLength(1);
});

// Tasks that are over can be looked at wherever they went: archive, attic, history (S12).
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
