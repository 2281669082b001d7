// Two files with one id in a room that has no record of either: a fresh clone, a folder that another program syncs.
import { readdirSync, rmSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

const TEXT = '---\nid: abc12345\nstatus: draft\nremote: github:acme/web#12\n---\n\nCI fails.\n';
const PLAIN = 'tasks/Plan.md';
const COPY = 'tasks/Plan (conflicted copy).md';

/** Saves both, long at rest, the first one older. */
function saveBoth(room: E2eRoom, first: string, second: string): void {
  for (const [path, ageS] of [
    [first, 1_000],
    [second, 500],
  ] as const) {
    room.save(path, TEXT);
    utimesSync(room.at(path), Date.now() / 1_000 - ageS, Date.now() / 1_000 - ageS);
  }
}

function expectSplit(room: E2eRoom, original: string, copy: string): void {
  expect(room.read(original)).toBe(TEXT);
  expect(room.read(copy)).toMatch(/^---\nid: (?!abc12345)\w{8}\nstatus: draft\n---\n/);
}

test('F6: the plain name keeps id and mirror, under a daemon', async () => {
  // The copy is older, and comes first in the order of names.
  saveBoth(room, COPY, PLAIN);
  const daemon = await room.up();
  await daemon.see('task.copied', { of: 'abc12345' });
  await room.quiet(daemon);
  expectSplit(room, PLAIN, COPY);
});

test('F6: the plain name keeps id and mirror, by a command', async () => {
  saveBoth(room, COPY, PLAIN);
  const { tasks } = await room.json('list');
  expect(tasks.find(({ id }: { id: string }) => id === 'abc12345')).toMatchObject({ name: 'Plan' });
  await room.ok('comment', 'Plan (conflicted copy)', 'Which one is it?');
  expect(room.read(PLAIN)).toBe(TEXT);
  expect(room.read(COPY)).toMatch(/^---\nid: (?!abc12345)\w{8}\nstatus: draft\n---\n/);
});

test('F6: a path that is known keeps them, whatever its name', async () => {
  room.save(COPY, TEXT);
  const daemon = await room.up();
  await room.quiet(daemon);
  room.save(PLAIN, TEXT);
  await daemon.see('task.copied', { of: 'abc12345' });
  await room.quiet(daemon);
  expectSplit(room, COPY, PLAIN);
});

test('S7: after a lost ledger a file with the id of an archived task gets one of its own, and it is said', async () => {
  room.save('tasks/Old.md', '---\nid: old12345\nstatus: done\n---\nIt was.\n');
  await room.ok('list');
  await room.ok('archive', 'Old');
  const archived = readdirSync(room.at('archive'), { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('Old.md'),
  )!;
  const kept = room.read(`archive/${archived}`);
  for (const write of ['daemon', 'command'] as const) {
    for (const name of readdirSync(room.at('.taskroom')).filter((one) => one.startsWith('ledger.db')))
      rmSync(room.at(`.taskroom/${name}`));
    room.save(`tasks/${write}.md`, '---\nid: old12345\nstatus: draft\n---\nBy hand.\n');
    if (write === 'daemon') {
      const daemon = await room.up();
      await daemon.see('task.copied', { name: write, of: 'old12345' });
      await daemon.kill();
    } else await room.ok('set', write, 'priority=high');
    expect(room.read(`tasks/${write}.md`)).not.toContain('old12345');
    expect((await room.json('show', 'old12345')).archived).toBe(true);
    expect(room.read(`archive/${archived}`)).toBe(kept);
  }
});
