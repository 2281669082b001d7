// Many files created at once: all or the ones that can be, each recorded, nothing left beside them.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { hashText } from '../../../src/core/task/read-task.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { openWriterRoom } from './writer-room.ts';

const rig = forEachTest(() => openWriterRoom(null));
let told: (readonly (string | null)[])[];
const creation = { actor: 'runtime', record: (hashes: readonly (string | null)[]) => void told.push(hashes) };
beforeEach(() => {
  told = [];
});

const file = (name: string) => ({ path: `tasks/${name}.md`, text: `# ${name}\n`, task: null });
const names = () => readdirSync(join(rig.room.dir, 'tasks')).sort();

test('files are made, known as ours, and told with their hashes', async () => {
  const files = ['a', 'b', 'c'].map(file);
  await rig.writer.createMany(files, creation);
  expect(told[0]).toEqual(files.map(({ text }) => hashText(text)));
  expect(names()).toEqual(['a.md', 'b.md', 'c.md']);
  expect(files.every(({ path, text }) => rig.writer.isOurs(path, hashText(text)))).toBe(true);
});

test('what stands there already stays, and is told as not made', async () => {
  writeFileSync(rig.room.at('tasks/b.md'), 'mine');
  await rig.writer.createMany(['a', 'b', 'c'].map(file), creation);
  expect(told[0]!.map((hash) => hash === null)).toEqual([false, true, false]);
  expect(rig.read('tasks/b.md')).toBe('mine');
  expect(rig.writer.isOurs('tasks/b.md', hashText('# b\n'))).toBe(false);
});

test('a disk that refuses leaves nothing behind, and all are told as not made', async () => {
  rmSync(rig.room.at('tasks'), { recursive: true });
  const failed = rig.writer.createMany(['a', 'b'].map(file), creation);
  await expect(failed).rejects.toMatchObject({ code: 'io' });
  expect(told[0]).toEqual([null, null]);
});

test('what its caller does not claim is left out, and nothing is made before the claims are durable', async () => {
  const seen: string[][] = [];
  await rig.writer.createMany(['a', 'b', 'c'].map(file), {
    ...creation,
    claim: (index) => index !== 1,
    claimed: () => void seen.push(names()),
  });
  expect(seen).toEqual([[]]);
  expect(names()).toEqual(['a.md', 'c.md']);
  expect(told[0]).toEqual([hashText('# a\n'), null, hashText('# c\n')]);
});
