import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newTaskId } from '../../../src/core/ids.ts';
import { freshTaskId } from '../../../src/tasks/observe/give-id.ts';
import type { TaskRoom } from '../../../src/tasks/task-room.ts';
import { rig } from '../each-room.ts';

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
  await rig.call('progress', { ref: 'Known', text: 'x' });
  await rig.call('remove', { ref: 'Known' });
  rig.save('Seen.md', `---\nid: ${ids[1]}\n---\n`);
  for (let n = 0; n < 60; n += 1) rig.save(`N${n}.md`, 'x\n');
  await rig.call('list', { all: true });
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

test('operations at the same moment on a file without an id agree on one, and all of them stand', async () => {
  rig.save('Bare.md', 'Do it.\n');
  const all = await Promise.all([
    rig.call('set', { ref: 'Bare', keys: { points: '3' } }),
    rig.call('comment', { ref: 'Bare', text: 'one' }),
    rig.call('comment', { ref: 'Bare', text: 'two' }),
    rig.call('progress', { ref: 'Bare', text: 'three' }),
    rig.call('set', { ref: 'Bare', status: 'doing' }),
    rig.call('addStep', { ref: 'Bare', title: 'four' }),
  ]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  const detail = await rig.call('show', { ref: 'Bare' });
  expect(detail).toMatchObject({ id: all[0]!.id, status: 'doing', steps: { list: [{ title: 'four' }] } });
  expect(detail.comments.map(({ text }) => text).sort()).toEqual(['one', 'two']);
  for (const part of ['Do it.', 'points: 3', 'three']) expect(detail.text).toContain(part);
});
