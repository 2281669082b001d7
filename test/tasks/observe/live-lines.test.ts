// What the daemon keeps of task files says at every moment what a look at all of them says.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHeardPaths } from '../../../src/pulse/intake/intake.ts';
import { type FileLine, isTask } from '../../../src/tasks/file-lines.ts';
import { createLiveLines } from '../../../src/tasks/observe/live-lines.ts';
import { readLines } from '../../../src/tasks/observe/snapshot.ts';
import { listAsJson } from '../../../src/tasks/read/lists/list-json.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

function open(): { room: TestRoom; heard: ReturnType<typeof createHeardPaths>; check(): Promise<void> } {
  const room = openTestRoom();
  onTestFinished(() => room.close());
  const heard = createHeardPaths();
  const live = createLiveLines(room.handle, heard);
  const kept = { ...room.handle, ports: { ...room.handle.ports, lines: () => live } };
  const textOf = async (handle: typeof kept) =>
    [...((await listAsJson(handle, { all: true }, PERSON)) ?? ['twice'])].join('');
  return {
    room,
    heard,
    async check() {
      const lines = await live.read();
      const all = await readLines(room.handle);
      const inOrder = (list: readonly { path: string }[]) =>
        list.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const said = (files: readonly FileLine[]) =>
        files.map((file) => ({ path: file.path, line: file.line, isTask: isTask(file) }));
      expect(said(lines.files)).toEqual(said(all.files));
      expect(inOrder(lines.skipped)).toEqual(inOrder(all.skipped));
      expect(lines.odd).toEqual(inOrder(all.odd));
      expect(await textOf(kept)).toBe(await textOf(room.handle as typeof kept));
    },
  };
}

const task = (id: string, more = '') => `---\nid: ${id}\nstatus: todo\n${more}---\nText.\n`;

test('files that come, go, change and break, by us and by hand', async () => {
  const { room, heard, check } = open();
  await check();
  for (const [at, name] of ['One', 'Two', 'Three'].entries()) room.save(`${name}.md`, task(`task000${at}`));
  await check();
  await room.tasks.call('set', { ref: 'One', keys: { priority: 'high' } }, PERSON);
  await check();
  await room.tasks.call('comment', { ref: 'Two', text: 'Hello.' }, PERSON);
  await check();
  // In place: neither the folder nor we know of it, only the watcher.
  writeFileSync(join(room.dir, 'tasks/Three.md'), task('task0002', 'priority: low\n'));
  heard.note('tasks/Three.md');
  await check();
  room.save('Three.md', '---\nstatus: nope\n---\n');
  heard.note('tasks/Three.md');
  await check();
  room.save('Three.md', task('task0002', 'blocked_by: [task0000]\npriorty: high\n'));
  heard.note('tasks/Three.md');
  await check();
  await room.tasks.call('complete', { ref: 'One' }, PERSON);
  await check();
  await room.tasks.call('remove', { ref: 'Two' }, PERSON);
  await check();
  rmSync(join(room.dir, 'tasks/Three.md'));
  await check();
  await room.tasks.call('create', { name: 'Four' } as never, PERSON);
  await check();
});

test('what is no task file is passed over, and so is what it becomes', async () => {
  const { room, heard, check } = open();
  writeFileSync(join(room.dir, 'tasks/notes.txt'), 'x');
  mkdirSync(join(room.dir, 'tasks/folder.md'));
  await check();
  rmSync(join(room.dir, 'tasks/folder.md'), { recursive: true });
  room.save('folder.md', task('task0003'));
  heard.note('tasks/folder.md');
  await check();
  symlinkSync('/dev/null', join(room.dir, 'tasks/link.md'));
  await check();
  rmSync(join(room.dir, 'tasks/notes.txt'));
  await check();
});

test('so much at once that it is not kept path by path is looked at as a whole', async () => {
  const { room, heard, check } = open();
  room.save('One.md', task('task0001'));
  await check();
  writeFileSync(join(room.dir, 'tasks/One.md'), task('task0001', 'priority: low\n'));
  heard.note('tasks/One.md');
  for (let at = 0; at < 5_000; at += 1) heard.note('tasks/Other.md');
  await check();
});

test('ids that are given twice', async () => {
  const { room, check } = open();
  room.save('One.md', task('task0001'));
  await check();
  room.save('One copy.md', task('task0001'));
  await check();
  rmSync(join(room.dir, 'tasks/One.md'));
  await check();
});

test('six hundred tasks that each say something else, and six hundred that say the same', async () => {
  const { room, check } = open();
  for (let at = 0; at < 600; at += 1) {
    const id = at.toString(36).padStart(8, '0');
    writeFileSync(join(room.dir, 'tasks', `Own ${at}.md`), task(id, `labels: [own-${at}, "tab\\t"]\n`));
    writeFileSync(join(room.dir, 'tasks', `Same ${at}.md`), task(`z${id.slice(1)}`, 'labels: [same]\n'));
  }
  await check();
});
