import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setKey } from '../../../src/core/document/document.ts';
import { readComments } from '../../../src/core/task/body/entries.ts';
import { writes } from '../../../src/store/ledger/writes/writes.ts';
import { hashBytes } from '../../../src/store/write/stable-read.ts';
import type { Change } from '../../../src/store/write/writer.ts';
import { rig } from './each-room.ts';
import { by, comment, PATH, progress, say, TEXT } from './writer-room.ts';

const status = (value: string) => ({ ...by, edit: (text: string) => setKey(text, 'status', value) });
describe('edit', () => {
  test('changes what it has to, and says what it was', async () => {
    const result = await rig.writer.edit(PATH, status('doing'));
    const after = TEXT.replace('todo', 'doing');
    expect(result).toMatchObject({ changed: true, before: TEXT, after });
    expect(rig.read()).toBe(after);
    expect(rig.writer.isOurs(PATH, hashBytes(Buffer.from(after)))).toBe(true);
    expect(rig.writer.isOurs(PATH, hashBytes(Buffer.from(TEXT)))).toBe(false);
    expect(fs.readdirSync(rig.room.tasksDir)).toEqual(['a.md']);
  });

  test('an unchanged value writes nothing', async () => {
    const before = fs.statSync(rig.room.at(PATH));
    expect((await rig.writer.edit(PATH, status('todo'))).changed).toBe(false);
    const { ino, mtimeMs, ctimeMs } = before;
    expect(fs.statSync(rig.room.at(PATH))).toMatchObject({ ino, mtimeMs, ctimeMs });
    expect(rig.kept()).toEqual([]);
  });

  test('F1: a result that would not read as the same task is refused as a bug, the file untouched', async () => {
    rig.save(`${TEXT}\n- 2026-11-20 10:00 · old\n`);
    const edits: readonly ((text: string) => string)[] = [
      (text) => text.replace('---\n\n', '---## Glued\n\n'),
      (text) => text.replace('status: todo', 'status: nonsense'),
      (text) => text.replace('id: abc', 'id: other'),
      (text) => text.replace(/\*\*2026.*\n/, ''),
      () => '',
    ];
    const outcome = { section: 'Outcome' as const, block: '**2026-11-20 10:00** · ann\n\nDid it.' };
    await rig.writer.edit(PATH, { ...by, append: [outcome] });
    const full = rig.read();
    for (const edit of edits)
      await expect(rig.writer.edit(PATH, { ...by, edit })).rejects.toMatchObject({ code: 'bug' });
    expect(rig.read()).toBe(full);
    const glued = { section: 'Progress' as const, block: '## Not an entry' };
    await expect(rig.writer.edit(PATH, { ...by, append: [glued] })).rejects.toMatchObject({ code: 'bug' });
    expect(rig.read()).toBe(full);
    expect(fs.readdirSync(rig.room.tasksDir)).toEqual(['a.md']);
  });

  test('records the window and who wrote', async () => {
    await rig.writer.edit(PATH, status('doing'));
    const [window] = writes.open(rig.database).windows(0);
    expect(window?.endMs).toBeGreaterThan(window!.startMs);
    expect(window!.endMs - window!.startMs).toBeLessThan(1_000);
    expect(rig.database.get('SELECT actor, task, path FROM writes')).toEqual({ ...by, path: PATH });
  });

  test('a save between reading and renaming: the edit is applied to the new text', async () => {
    const { save: byRename, saveInPlace } = rig;
    for (const save of [byRename, saveInPlace]) {
      let saved = false;
      const writer = rig.open({
        probe: (point) => {
          if (point !== 'intended' || saved) return;
          saved = true;
          save(rig.read().replace('note', 'note typed'));
        },
      });
      await writer.edit(PATH, say(save === byRename ? 'by rename' : 'in place'));
    }
    expect(rig.read()).toContain('note typed typed');
    expect([rig.count('by rename'), rig.count('in place')]).toEqual([1, 1]);
    expect(rig.database.get('SELECT count(*) AS n FROM writes')).toEqual({ n: 2 });
  });

  test('many at once on one file lose nothing', async () => {
    const words = Array.from({ length: 30 }, (_, at) => `entry ${at}.`);
    const other = rig.open();
    await Promise.all(words.map((text, at) => (at % 2 ? rig.writer : other).edit(PATH, say(text))));
    expect(words.map((text) => rig.count(text))).toEqual(words.map(() => 1));
  });

  test('errors name what is wrong, and leave no trace', async () => {
    const codeOf = (path: string, change: Change) => rig.writer.edit(path, change).catch(({ code }) => code);
    expect(await codeOf('tasks/none.md', status('done'))).toBe('not_found');
    for (const path of ['../a.md', '/etc/passwd', 'tasks/../../x', '', 'C:\\x', 'tasks//a.md', 'a\0b'])
      expect(await codeOf(path, status('done')), path).toBe('bad_input');
    fs.writeFileSync(rig.room.at('tasks/bad.md'), Uint8Array.of(0xff, 0x00));
    expect(await codeOf('tasks/bad.md', status('done'))).toBe('invalid_file');
    rig.save('---\nstatus: [\n---\n');
    expect(await codeOf(PATH, say('x'))).toBe('invalid_file');
    expect(await codeOf(PATH, { ...by, edit: (text) => text + 'x'.repeat(1_100_000) })).toBe('bad_input');
    const failing = {
      ...by,
      edit: () => {
        throw new Error('mine');
      },
    };
    await expect(rig.writer.edit(PATH, failing)).rejects.toThrow('mine');
    expect(fs.readdirSync(rig.room.tasksDir).sort()).toEqual(['a.md', 'bad.md']);
    expect(rig.database.get('SELECT count(*) AS n FROM writes')).toEqual({ n: 0 });
  });

  test('a file removed, or a folder renamed, between reading and renaming', async () => {
    const removing = rig.open({
      probe: (point) => point === 'intended' && fs.rmSync(rig.room.at(PATH), { force: true }),
    });
    await expect(removing.edit(PATH, status('done'))).rejects.toMatchObject({ code: 'not_found' });
    expect(fs.readdirSync(rig.room.tasksDir)).toEqual([]);
    rig.save(TEXT);
    const moved = join(rig.room.dir, 'moved');
    const moving = rig.open({
      probe: (point) => point === 'intended' && fs.renameSync(rig.room.tasksDir, moved),
    });
    await expect(moving.edit(PATH, status('done'))).rejects.toMatchObject({ code: 'not_found' });
    expect(fs.readFileSync(join(moved, 'a.md'), 'utf8')).toBe(TEXT);
    fs.renameSync(moved, rig.room.tasksDir);
  });

  test('mode kept, a symlinked task stays a symlink', async () => {
    fs.mkdirSync(rig.room.at('elsewhere'));
    fs.renameSync(rig.room.at(PATH), rig.room.at('elsewhere/real.md'));
    fs.chmodSync(rig.room.at('elsewhere/real.md'), 0o604);
    fs.symlinkSync('../elsewhere/real.md', rig.room.at(PATH));
    await rig.writer.edit(PATH, status('doing'));
    expect(fs.lstatSync(rig.room.at(PATH)).isSymbolicLink()).toBe(true);
    expect(fs.statSync(rig.room.at('elsewhere/real.md')).mode & 0o777).toBe(0o604);
    expect(rig.read('elsewhere/real.md')).toContain('status: doing');
  });

  test('create makes a file once', async () => {
    await rig.writer.create('tasks/b.md', TEXT, by);
    expect(rig.read('tasks/b.md')).toBe(TEXT);
    await expect(rig.writer.create('tasks/b.md', 'x', by)).rejects.toMatchObject({ code: 'conflict' });
    await expect(rig.writer.create('none/b.md', 'x', by)).rejects.toMatchObject({ code: 'io' });
    expect(rig.read('tasks/b.md')).toBe(TEXT);
    expect(rig.writer.isOurs('tasks/b.md', hashBytes(Buffer.from(TEXT)))).toBe(true);
  });
});

describe('entries with a key', () => {
  test('a file that could not be made, since another stands there, leaves its key free', async () => {
    await rig.writer.create('tasks/b.md', TEXT, by);
    const made = rig.writer.create('tasks/b.md', 'x', { ...by, key: 't1:new' });
    await expect(made).rejects.toMatchObject({ code: 'conflict' });
    expect(rig.writer.known('t1:new')).toBeNull();
    await rig.writer.create('tasks/c.md', TEXT, { ...by, key: 't1:new' });
    expect(rig.writer.known('t1:new')).toMatchObject({ path: 'tasks/c.md', written: true });
    const again = rig.writer.create('tasks/c.md', TEXT, { ...by, key: 't1:new' });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    expect(rig.writer.known('t1:new')).toMatchObject({ path: 'tasks/c.md', written: true });
  });

  test('the same key again writes nothing, with other words too', async () => {
    await rig.writer.edit(PATH, say('once', 't1:a'));
    const text = rig.read();
    expect((await rig.writer.edit(PATH, say('once', 't1:a'))).changed).toBe(false);
    expect((await rig.writer.edit(PATH, say('in other words', 't1:a'))).changed).toBe(false);
    expect(rig.read()).toBe(text);
    await rig.writer.edit(PATH, { ...by, append: [say('x', 'k')!.append[0]!, say('y', 'k')!.append[0]!] });
    expect([rig.count('· x'), rig.count('· y')]).toEqual([1, 0]);
  });

  test('two keys with the same words are two entries', async () => {
    await rig.writer.edit(PATH, say('ok', 'a'));
    await rig.writer.edit(PATH, say('ok', 'b'));
    await rig.writer.edit(PATH, say('ok', 'b'));
    expect(rig.count('· ok')).toBe(2);
  });

  test('a person who deleted the entry is not written over by a repeat', async () => {
    await rig.writer.edit(PATH, say('once', 'a'));
    rig.later(11 * 60_000);
    rig.save(TEXT);
    expect((await rig.writer.edit(PATH, say('once', 'a'))).changed).toBe(false);
    expect(rig.read()).toBe(TEXT);
  });
});

test('the ledger is pruned, and keys outlive it', async () => {
  await rig.writer.edit(PATH, say('first', 'k'));
  await rig.writer.edit(PATH, say('second'));
  await rig.writer.settleReplaced(0);
  rig.later(16 * 60_000);
  await rig.open().edit(PATH, status('doing'));
  expect(rig.database.get('SELECT count(*) AS n FROM writes')).toEqual({ n: 1 });
  expect(rig.database.rows('SELECT key FROM entries')).toEqual([{ key: 'k' }]);
  expect(fs.existsSync(rig.room.at(PATH))).toBe(true);
});

test('a section that grows too long gives its oldest entries away, once, with a line that says so', async () => {
  const long = 'word '.repeat(3_000);
  rig.save(TEXT.replace('## Progress\n', '## Comments\n\nby hand\n\n## Progress\n'));
  for (let at = 0; at < 40; at += 1) {
    const append = [{ section: 'Comments' as const, block: comment(`c${at}`, long) }];
    await rig.writer.edit(PATH, { ...by, append });
  }
  const text = rig.read();
  const moved = fs.readFileSync(join(rig.room.overflowDir, 'abc.md'), 'utf8');
  const here = readComments(text.slice(text.indexOf('\n\n'))).map(({ id }) => id);
  const there = [...moved.matchAll(/<!-- c:(\S+) -->/g)].map((match) => match[1]);
  expect([...there, ...here]).toEqual(Array.from({ length: 40 }, (_, at) => `c${at}`));
  expect(text).toContain(`by hand\n\n*${there.length} older entries: .taskroom/spill/abc.md*\n\n`);
  expect(text.length).toBeLessThan(300_000);
  rig.save(text.replace('note', 'typed'));
  expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
});

test('an append that came to nothing is not moved twice', async () => {
  const old = Array.from({ length: 50 }, (_, at) => progress(`${at} ${'x'.repeat(6_000)}`)).join('\n');
  rig.save(TEXT.replace('## Progress\n', `## Progress\n\n${old}\n`));
  let saves = 0;
  const writer = rig.open({
    probe: (point) => {
      if (point === 'intended' && saves++ < 3) rig.save(rig.read().replace('note', 'note typed'));
    },
  });
  await writer.edit(PATH, say('last'));
  const moved = fs.readFileSync(join(rig.room.overflowDir, 'abc.md'), 'utf8');
  const numbers = (text: string) => [...text.matchAll(/· (\d+) x/g)].map((match) => Number(match[1]));
  expect([...numbers(moved), ...numbers(rig.read())]).toEqual(Array.from({ length: 50 }, (_, at) => at));
  expect([rig.count('note typed typed typed'), rig.count('· last')]).toEqual([1, 1]);
});

test('entries that are moved out lie in the spill folder before the file lacks them, once, whatever comes between', async () => {
  const blocks = Array.from({ length: 5 }, (_, at) => progress(`${at} old`));
  rig.save(TEXT.replace('## Progress\n', `## Progress\n\n${blocks.join('\n')}\n`));
  const path = join(rig.room.overflowDir, 'abc.md');
  const seen: string[] = [];
  let saves = 0;
  const writer = rig.open({
    probe: (point) => {
      if (point !== 'intended') return;
      // The file still holds them, and the folder does already.
      seen.push(`${rig.count('0 old')} ${fs.readFileSync(path, 'utf8').split('0 old').length - 1}`);
      if (saves++ < 2) rig.save(rig.read().replace('note', 'note typed'));
    },
  });
  const append = [{ section: 'Progress' as const, block: progress('summary') }];
  await writer.edit(PATH, { ...by, moveOut: blocks.slice(0, 3), append });
  expect(seen).toEqual(['1 1', '1 1', '1 1']);
  const numbers = (text: string) => [...text.matchAll(/· (\d+) old/g)].map((match) => Number(match[1]));
  expect(numbers(fs.readFileSync(path, 'utf8'))).toEqual([0, 1, 2]);
  expect(numbers(rig.read())).toEqual([3, 4]);
  expect([rig.count('note typed typed'), rig.count('· summary')]).toEqual([1, 1]);
  expect(rig.read()).toContain('*3 older entries: .taskroom/spill/abc.md*');
});

test('nothing is moved out unless all of it stands as it did', async () => {
  const blocks = [progress('0 old'), progress('1 old')];
  rig.save(
    TEXT.replace('## Progress\n', `## Progress\n\n${blocks.join('\n').replace('1 old', '1 edited')}\n`),
  );
  const before = rig.read();
  const append = [{ section: 'Progress' as const, block: progress('summary') }];
  const change = rig.writer.edit(PATH, { ...by, moveOut: blocks, append });
  await expect(change).rejects.toMatchObject({ code: 'conflict' });
  expect(rig.read()).toBe(before);
});
