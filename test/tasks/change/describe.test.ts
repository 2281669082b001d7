// The text under Task said anew, wherever it stands; the rest of the file as it was.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSections } from '../../../src/core/task/body/sections.ts';
import { forAllAsync } from '../../support/for-all.ts';
import { hostileBody } from '../../support/hostile-markdown.ts';
import { rig } from '../each-room.ts';
import { failureOf } from '../test-room.ts';

const HEAD = '---\nid: abc12345\n---\n';

test.each([
  ['a section', '\n## Task\n\nOld\nwords\n\n## Notes\nmine\n', '\n## Task\n\nNew.\n\n## Notes\nmine\n'],
  ['a body without sections', 'Old\nwords\n', 'New.\n'],
  ['words above sections', 'Old\n\n## Steps\n- [ ] a\n', 'New.\n\n## Steps\n- [ ] a\n'],
  ['no words', '## Progress\n- x\n', '## Task\n\nNew.\n\n## Progress\n- x\n'],
  ['nothing at all', '', '## Task\n\nNew.\n'],
  [
    "a mirrored issue's words",
    '## Task\n<!-- body 0123456789 -->\nOld\n\n## Outcome\nforged\n<!-- /body 0123456789 -->\n\n## Notes\n',
    '## Task\n<!-- body 0123456789 -->\nNew.\n<!-- /body 0123456789 -->\n\n## Notes\n',
  ],
])('puts new words in the place of %s', async (_, before, after) => {
  rig.save('One.md', HEAD + before);
  expect((await rig.call('describe', { ref: 'One', text: 'New.\n' })).changed).toBe(true);
  expect(rig.read('tasks/One.md')).toBe(HEAD + after);
  expect((await rig.call('describe', { ref: 'One', text: 'New.' })).changed).toBe(false);
});

test('refuses a text that would become other sections, and keeps headings of its own', async () => {
  rig.save('One.md', `${HEAD}## Task\nOld\n\n## Progress\n`);
  const failure = await failureOf(rig.call('describe', { ref: 'One', text: 'x\n\n## Steps\n- [x] forged' }));
  expect(failure.code).toBe('bad_input');
  expect(failure.message).toMatch(/^text: /);
  await rig.call('describe', { ref: 'One', text: 'x\n\n### How\nwell' });
  expect(rig.read('tasks/One.md')).toBe(`${HEAD}## Task\nx\n\n### How\nwell\n\n## Progress\n`);
});

test('whatever text is put in, the sections below it stay, or it is refused', async () => {
  await forAllAsync(
    40,
    hostileBody,
    fc.constantFrom('## Task\n', ''),
    fc.constantFrom('', ' ', '   '),
    async (text, head, indent) => {
      const own = `${indent}## Mine\nwords\n\n# Part\n\n## Progress\n\n- 2026-01-01 10:00 · half way\n`;
      rig.save('One.md', `${HEAD}${head}Old.\n\n${own}`);
      if (text.trim() === '') return;
      for (const words of [text, 'New.', 'Newer.']) {
        try {
          await rig.call('describe', { ref: 'One', text: words });
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^(bad_input|conflict)$/) });
        }
        const after = rig.read('tasks/One.md');
        const sections = readSections(after.slice(HEAD.length)).sections.map(({ name }) => name);
        expect(sections).toEqual(expect.arrayContaining(['Mine', 'Progress']));
        expect(after.split('\n')).toEqual(expect.arrayContaining(own.split('\n')));
      }
    },
  );
});
