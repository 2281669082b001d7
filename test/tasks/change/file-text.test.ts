// What a person typed into a task's file at another machine, put in its place.
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { textEditOf } from '../../../src/core/document/edits.ts';
import { readFileText, saveFileText } from '../../../src/tasks/change/update-task.ts';
import { rig } from '../each-room.ts';
import { AGENT, codeOf, PERSON } from '../test-room.ts';

const ONE = 'tasks/One.md';
const TEXT = '---\nid: abc12345\nstatus: todo\n---\n\n## Task\nDo it.\n';

beforeEach(() => rig.save('One.md', TEXT));

async function type(from: string, to: string) {
  const { text, hash } = await readFileText(rig.deps, ONE);
  return saveFileText(rig.handle, ONE, { only: hash, ...textEditOf(text, text.replace(from, to)) }, PERSON);
}

test('it counts as typed by hand: new words, another status, what follows from it', async () => {
  await type('status: todo', 'status: done');
  expect(rig.events).toContainEqual({
    ...{ type: 'task.changed', id: 'abc12345', name: 'One', was: 'todo', status: 'done' },
  });
  expect((await rig.call('history', {})).history.map(({ name }) => name)).toEqual(['One']);
  await type('status: done', 'status: todo');
  await type('Do it.', 'Do that.');
  expect((await rig.call('show', { ref: 'One' })).body).toContain('Do that.');
});

test('an entry that was taken out stays out, and the next one comes in', async () => {
  await rig.call('progress', { ref: 'One', text: 'Half done.' });
  const entry = rig.read(ONE).match(/- .*Half done\.\n/)![0];
  await type(entry, '');
  expect(await rig.deps.writer.restore(ONE)).toEqual({ restored: 0 });
  await rig.call('progress', { ref: 'One', text: 'All done.' });
  expect(rig.read(ONE)).not.toContain('Half done.');
  expect(rig.read(ONE)).toContain('All done.');
});

test('an agent and an assistant save no file', async () => {
  const { hash } = await readFileText(rig.deps, ONE);
  const edit = { only: hash, start: 0, end: 0, text: 'Words.' };
  for (const actor of [AGENT, { kind: 'assistant', client: 'helper' } as const])
    expect(await codeOf(rig.call('saveFile', { path: ONE, edit }, actor))).toBe('not_allowed');
  expect(rig.read(ONE)).toBe(TEXT);
});

test('a link stays one, and what it leads to is changed; one that leads elsewhere is no task file', async () => {
  mkdirSync(join(rig.dir, 'vault'));
  writeFileSync(join(rig.dir, 'vault/Note.md'), 'Words.\n');
  symlinkSync('../vault/Note.md', join(rig.dir, 'tasks/Note.md'));
  symlinkSync('../room.yaml', join(rig.dir, 'tasks/Settings.md'));
  const { text, hash } = await readFileText(rig.deps, 'tasks/Note.md');
  const edit = { only: hash, ...textEditOf(text, 'Other words.\n') };
  expect(await saveFileText(rig.handle, 'tasks/Note.md', edit, PERSON)).toEqual({ changed: true });
  expect(lstatSync(join(rig.dir, 'tasks/Note.md')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(rig.dir, 'vault/Note.md'), 'utf8')).toContain('Other words.\n');
  expect(await codeOf(readFileText(rig.deps, 'tasks/Settings.md'))).toBe('not_found');
});

test.each([
  ...['tasks/../tasks/One.md', '../One.md', '/etc/passwd', 'tasks/.One.md', 'tasks/One', 'archive/One.md'],
  '',
])('%j is no task file', async (path) => {
  expect(await codeOf(readFileText(rig.deps, path))).toBe('bad_input');
  const edit = { only: '', start: 0, end: 0, text: 'x' };
  expect(await codeOf(saveFileText(rig.handle, path, edit, PERSON))).toBe('bad_input');
});
