import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { setKey } from '../../../src/core/document/document.ts';
import { appendEntry } from '../../../src/core/merge/lost-entries.ts';
import { formatProgress } from '../../../src/core/task/body/entries.ts';
import { rig } from './each-room.ts';
import { PATH, TEXT } from './writer-room.ts';

const by = { actor: 'runtime', task: 'abc' };
const block = formatProgress({ atMs: Date.UTC(2026, 10, 20, 10, 0), text: 'entry' });
const say = { ...by, append: [{ section: 'Progress' as const, block }] };
const WRITTEN = appendEntry(TEXT, 'Progress', block);

/** An editor that opened the file before our write and writes into what it opened. */
function opened(): { write(text: string): void; truncate(): void; close(): void } {
  const fd = fs.openSync(rig.room.at(PATH), 'r+');
  let at = 0;
  return {
    write: (text) => {
      at += fs.writeSync(fd, text, at);
    },
    truncate: () => {
      fs.ftruncateSync(fd);
      at = 0;
    },
    close: () => fs.closeSync(fd),
  };
}

/** Settles until nothing is left: a merge is a write, and keeps an old inode of its own. */
async function settle(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await rig.writer.settleReplaced(0);
}

const TYPED = TEXT.replace('note', 'note typed');

test('a program that goes on writing into the old inode loses nothing', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, { ...say, edit: (text) => setKey(text, 'status', 'doing') });
  editor.truncate();
  editor.write(TYPED);
  editor.close();
  await settle();
  expect(rig.read()).toBe(setKey(WRITTEN, 'status', 'doing').replace('note', 'note typed'));
  expect(rig.kept()).toEqual([]);
  expect(fs.readdirSync(rig.room.tasksDir)).toEqual(['a.md']);
});

test('what is written at once is merged soon, without anybody asking', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  editor.truncate();
  editor.write(TYPED);
  await vi.waitFor(() => expect(rig.read()).toBe(WRITTEN.replace('note', 'note typed')), {
    timeout: 5_000,
    interval: 5,
  });
  editor.write('\nmore typed\n');
  editor.close();
  await settle();
  expect(rig.read()).toContain('more typed');
  expect(rig.read().split('entry').length).toBe(2);
});

test('truncated and not written, or half written, deletes nothing', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  editor.truncate();
  await rig.writer.close();
  expect(rig.read()).toBe(WRITTEN);
  editor.write(TEXT.slice(0, 60));
  const writer = rig.open();
  await writer.settleReplaced(0);
  expect(rig.read()).toBe(WRITTEN);
  editor.close();
});

test('a half written text waits for its end before it counts', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  editor.truncate();
  editor.write(TYPED.slice(0, TYPED.indexOf('## Progress')));
  await rig.writer.close();
  expect(rig.read()).toBe(WRITTEN);
  editor.write(TYPED.slice(TYPED.indexOf('## Progress')));
  editor.close();
  await rig.open().settleReplaced(0);
  expect(rig.read()).toBe(WRITTEN.replace('note', 'note typed'));
});

test('an old inode that was only deleted from keeps our entry, and what was deleted stays deleted', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  editor.truncate();
  editor.write(TEXT.replace('Do it.\n', ''));
  editor.close();
  await settle();
  expect(rig.read()).toBe(WRITTEN.replace('Do it.\n', ''));
});

test('entries that a program with an older text drops are put back', async () => {
  await rig.writer.edit(PATH, say);
  const editor = opened();
  const second = formatProgress({ atMs: Date.UTC(2026, 10, 20, 10, 1), text: 'second' });
  await rig.writer.edit(PATH, { ...by, append: [{ section: 'Progress', block: second }] });
  editor.truncate();
  editor.write(TYPED);
  editor.close();
  await settle();
  expect(rig.read()).toBe(appendEntry(WRITTEN, 'Progress', second).replace('note', 'note typed'));
});

test('several programs in several old inodes', async () => {
  const editors: string[] = [];
  const open: ReturnType<typeof opened>[] = [];
  for (let at = 0; at < 5; at += 1) {
    editors.push(rig.read());
    open.push(opened());
    const words = formatProgress({ atMs: Date.UTC(2026, 10, 20, 10, at), text: `entry ${at}` });
    await rig.writer.edit(PATH, { ...by, append: [{ section: 'Progress', block: words }] });
  }
  for (const [at, editor] of open.entries()) {
    editor.truncate();
    editor.write(editors[at]!.replace('Do it.\n', `Do it.\ntyped ${at}\n`));
    editor.close();
  }
  await settle();
  for (let at = 0; at < 5; at += 1) {
    expect(rig.read().split(`typed ${at}\n`).length).toBe(2);
    expect(rig.read().split(`· entry ${at}\n`).length).toBe(2);
  }
  expect(rig.kept()).toEqual([]);
});

test('what can not be merged is found in the attic', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  await rig.writer.close();
  editor.truncate();
  editor.write(TYPED);
  editor.close();
  fs.rmSync(rig.room.at(PATH));
  const writer = rig.open();
  await writer.settleReplaced(0);
  expect(fs.existsSync(rig.room.at(PATH))).toBe(false);
  const attic = fs.readdirSync(rig.room.trashDir);
  expect(attic.map((name) => fs.readFileSync(join(rig.room.trashDir, name), 'utf8'))).toEqual([TYPED]);
  expect(rig.kept()).toEqual([]);
});

test('old inodes are settled by the next edit of anything, and links a crash left are cleared', async () => {
  await rig.writer.edit(PATH, say);
  fs.writeFileSync(join(rig.room.ownDir, 'keep', 'left.kept'), 'typed into a link without a row');
  rig.save(TEXT, 'tasks/b.md');
  rig.later(3_000);
  await rig.writer.edit('tasks/b.md', { ...by, task: 'b', edit: (text) => setKey(text, 'status', 'done') });
  expect(rig.kept()).toHaveLength(2);
  rig.later(120_000);
  await settle();
  expect(rig.kept()).toEqual([]);
  expect(fs.readdirSync(rig.room.trashDir)).toHaveLength(1);
});

test('two settle at once, one merges', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  editor.truncate();
  editor.write(TYPED);
  editor.close();
  const other = rig.open();
  await Promise.all([rig.writer.settleReplaced(0), other.settleReplaced(0)]);
  await settle();
  expect(rig.read()).toBe(WRITTEN.replace('note', 'note typed'));
  expect(rig.kept()).toEqual([]);
});

test('a file renamed in between is not made anew', async () => {
  const editor = opened();
  await rig.writer.edit(PATH, say);
  await rig.writer.close();
  fs.renameSync(rig.room.at(PATH), rig.room.at('tasks/b.md'));
  editor.truncate();
  editor.write(TYPED);
  editor.close();
  await rig.open().settleReplaced(0);
  expect(fs.readdirSync(rig.room.tasksDir)).toEqual(['b.md']);
  expect(rig.read('tasks/b.md')).toBe(WRITTEN);
});
