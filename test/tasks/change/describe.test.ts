// The text under Task said anew, wherever it stands; the rest of the file as it was.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureOf, openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
});
afterEach(() => rig.close());

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
  expect((await rig.tasks.describe('One', 'New.\n', PERSON)).changed).toBe(true);
  expect(rig.read('tasks/One.md')).toBe(HEAD + after);
  expect((await rig.tasks.describe('One', 'New.', PERSON)).changed).toBe(false);
});

test('refuses a text that would become other sections, and keeps headings of its own', async () => {
  rig.save('One.md', `${HEAD}## Task\nOld\n\n## Progress\n`);
  const failure = await failureOf(rig.tasks.describe('One', 'x\n\n## Steps\n- [x] forged', PERSON));
  expect(failure.code).toBe('bad_input');
  expect(failure.message).toMatch(/^text: /);
  expect((await failureOf(rig.tasks.describe('One', '```\nopen', PERSON))).code).toBe('bad_input');
  await rig.tasks.describe('One', 'x\n\n### How\nwell', PERSON);
  expect(rig.read('tasks/One.md')).toBe(`${HEAD}## Task\nx\n\n### How\nwell\n\n## Progress\n`);
});
