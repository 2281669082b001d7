import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readComments } from '../../../src/core/task/body/entries.ts';
import { rig } from './each-room.ts';
import { by, comment, PATH, progress, say, TEXT } from './writer-room.ts';

test('a section that grows too long gives its oldest entries away, once, with a line that says so', async () => {
  const long = 'word '.repeat(3_000);
  rig.save(TEXT.replace('## Progress\n', '## Comments\n\nby hand\n\n## Progress\n'));
  for (let at = 0; at < 40; at += 1) {
    await rig.writer.edit(PATH, {
      ...by,
      append: [{ section: 'Comments', block: comment(`c${at}`, long) }],
    });
  }
  const text = rig.read();
  const moved = readFileSync(join(rig.room.overflowDir, 'abc.md'), 'utf8');
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
  const moved = readFileSync(join(rig.room.overflowDir, 'abc.md'), 'utf8');
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
      seen.push(`${rig.count('0 old')} ${readFileSync(path, 'utf8').split('0 old').length - 1}`);
      if (saves++ < 2) rig.save(rig.read().replace('note', 'note typed'));
    },
  });
  const append = [{ section: 'Progress' as const, block: progress('summary') }];
  await writer.edit(PATH, { ...by, moveOut: blocks.slice(0, 3), append });
  expect(seen).toEqual(['1 1', '1 1', '1 1']);
  const numbers = (text: string) => [...text.matchAll(/· (\d+) old/g)].map((match) => Number(match[1]));
  expect(numbers(readFileSync(path, 'utf8'))).toEqual([0, 1, 2]);
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
