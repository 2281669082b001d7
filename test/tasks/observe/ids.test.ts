import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newTaskId } from '../../../src/core/ids.ts';
import { freshTaskId, giveId } from '../../../src/tasks/observe/give-id.ts';
import type { TaskRoom } from '../../../src/tasks/task-room.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
});
afterEach(() => rig.close());

/** Randomness that gives these ids, in this order. */
function rigged(seeds: readonly number[]): { deps: TaskRoom; ids: string[] } {
  let at = 0;
  const bytes = (seed: number) => (size: number) => new Uint8Array(size).fill(seed);
  const randomBytes = (size: number) => bytes(seeds[Math.min(at++, seeds.length - 1)]!)(size);
  return {
    deps: { ...rig.deps, effects: { ...rig.deps.effects, randomBytes } },
    ids: seeds.map((seed) => newTaskId(bytes(seed))),
  };
}

test('an id that the ledger, a file or the history ever had is not given again', async () => {
  const { deps, ids } = rigged([10, 11, 12, 13]);
  rig.save('Known.md', `---\nid: ${ids[0]}\n---\n`);
  await rig.tasks.call('progress', { ref: 'Known', text: 'x' }, PERSON);
  await rig.tasks.call('remove', { ref: 'Known' }, PERSON);
  rig.save('Seen.md', `---\nid: ${ids[1]}\n---\n`);
  for (let n = 0; n < 60; n += 1) rig.save(`N${n}.md`, 'x\n');
  await rig.tasks.call('list', { all: true }, PERSON);
  writeFileSync(
    rig.deps.room.historyPath,
    `{"torn\n${JSON.stringify({ archived_at: 'x', id: ids[2], name: 'y'.repeat(5000) })}\n`,
  );
  expect(freshTaskId(deps)).toBe(ids[3]);
});

test('history that grows, also by a line in two pieces, is read on', () => {
  const { deps, ids } = rigged([10, 10, 10, 11, 12]);
  expect(freshTaskId(deps)).toBe(ids[0]);
  const line = `${JSON.stringify({ archived_at: 'x', id: ids[0], text: 'é'.repeat(10) })}\n`;
  appendFileSync(rig.deps.room.historyPath, line.slice(0, 20));
  expect(freshTaskId(deps)).toBe(ids[0]);
  appendFileSync(rig.deps.room.historyPath, line.slice(20));
  expect(freshTaskId(deps)).toBe(ids[3]);
});

test('a file without an id gets one, once; a broken or missing one gets none', async () => {
  rig.save('Bare.md', '---\nstatus: todo # c\n---\nx');
  const id = await giveId(rig.deps, 'tasks/Bare.md');
  expect(rig.read('tasks/Bare.md')).toBe(`---\nstatus: todo # c\nid: ${id}\n---\nx`);
  expect(await giveId(rig.deps, 'tasks/Bare.md')).toBe(id);
  rig.save('Broken.md', '---\nstatus: nope\n---\n');
  expect(await giveId(rig.deps, 'tasks/Broken.md')).toBeNull();
  expect(rig.read('tasks/Broken.md')).toBe('---\nstatus: nope\n---\n');
  expect(await giveId(rig.deps, 'tasks/None.md')).toBeNull();
});

test('a file with the id of a task in the archive is a task of its own, one that is moved back is that task', async () => {
  rig.save('One.md', '---\nid: abc12345\nstatus: done\n---\nDone.\n');
  await rig.tasks.call('archive', { ref: 'One' }, PERSON);
  const archived = rig.deps.ledger.tasks.get('abc12345')!.archived!;
  rig.save('Again.md', '---\nid: abc12345\n---\nOnce more.\n');
  await rig.tasks.call('release', {}, PERSON);
  const id = /id: (\S+)/.exec(rig.read('tasks/Again.md'))![1];
  expect(id).not.toBe('abc12345');
  expect(rig.events).toContainEqual({ type: 'task.copied', id, name: 'Again', of: 'abc12345' });
  renameSync(join(rig.dir, archived), join(rig.dir, 'tasks/One.md'));
  await rig.tasks.call('release', {}, PERSON);
  expect(rig.deps.ledger.tasks.get('abc12345')!.path).toBe('tasks/One.md');
});

test('operations at the same moment on a file without an id agree on one, and all of them stand', async () => {
  rig.save('Bare.md', 'Do it.\n');
  const all = await Promise.all([
    rig.tasks.call('set', { ref: 'Bare', keys: { points: '3' } }, PERSON),
    rig.tasks.call('comment', { ref: 'Bare', text: 'one' }, PERSON),
    rig.tasks.call('comment', { ref: 'Bare', text: 'two' }, PERSON),
    rig.tasks.call('progress', { ref: 'Bare', text: 'three' }, PERSON),
    rig.tasks.call('set', { ref: 'Bare', status: 'doing' }, PERSON),
    rig.tasks.call('addStep', { ref: 'Bare', title: 'four' }, PERSON),
  ]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  const detail = await rig.tasks.call('show', { ref: 'Bare' }, PERSON);
  expect(detail).toMatchObject({ id: all[0]!.id, status: 'doing', steps: { list: [{ title: 'four' }] } });
  expect(detail.comments.map(({ text }) => text).sort()).toEqual(['one', 'two']);
  for (const part of ['Do it.', 'points: 3', 'three']) expect(detail.text).toContain(part);
});
