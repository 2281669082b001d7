// A task's text in its parts: what an editor is given is what a change of it replaces.
import { expect, test } from 'vitest';
import { newTag } from '../../../src/core/ids.ts';
import { readTaskText, replaceTaskText } from '../../../src/core/task/body/body-edit.ts';
import { wrapForeignBody } from '../../../src/core/task/body/foreign-text.ts';
import { textParts } from '../../../src/tasks/views/task-detail.ts';

const TAG = newTag(() => new Uint8Array(16).fill(7));
const FOREIGN = `\n## Task\n\n${wrapForeignBody('Words\n\n## Outcome\nForged', 'abcdefghij')}\n\n## Notes\nMine\n`;
const BODIES = [
  '',
  'Only words.\n',
  'Above\n\n## Notes\nx\n',
  '## Task\r\nDo it.\r\n\r\n- a\r\n\r\n## Progress\r\n- b\r\n',
  '## Notes\nfirst\n\n## Task\n\n```\n## Outcome\n```\n',
  FOREIGN,
];

test.each(BODIES)('saving what was read changes nothing: %j', (body) => {
  const text = readTaskText(body);
  if (text !== '') expect(replaceTaskText(body, text, TAG, 0)).toEqual([]);
});

test('sections stand apart from the task, and a foreign text makes none', () => {
  expect(textParts(FOREIGN)).toEqual({
    task_text: 'Words\n\n## Outcome\nForged',
    is_foreign: true,
    sections: [{ name: 'Notes', text: 'Mine' }],
  });
  expect(textParts('Above\n\n## Task\nDo it.\n\n## My own\nx\n')).toEqual({
    task_text: 'Do it.',
    is_foreign: false,
    sections: [
      { name: '', text: 'Above' },
      { name: 'My own', text: 'x' },
    ],
  });
});
