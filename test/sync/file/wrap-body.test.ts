// Body markers around what a local task asks for, when it becomes the mirror of an issue.
import { expect, test } from 'vitest';
import { wrapBody } from '../../../src/sync/file/local-edit.ts';
import { readLocalSide } from '../../../src/sync/plan/local-side.ts';

const TAG = 'abcdefghij';
const HEAD = '---\nid: 3nprht9x\n---\n';

const CASES: [name: string, body: string, read: string][] = [
  ['text under Task', '\n## Task\nDo it.\n\n## Notes\nkeep\n', 'Do it.'],
  ['a Task without text', '\n## Task\n\n## Notes\nkeep\n', ''],
  ['a Task without text right before the next heading', '\n## Task\n## Notes\nkeep\n', ''],
  ['a Task at the end of the file, without a line end', '\n## Task', ''],
  ['no section at all', 'Do it.\n', 'Do it.'],
  ['words above the sections that a turn added', 'Do it.\n\n## Notes\nkeep\n', 'Do it.'],
  [
    'words with a heading of their own above them',
    '## Why\nIt fails.\n\n## Notes\nkeep\n',
    '## Why\nIt fails.',
  ],
  ['nothing at all', '', ''],
  ['no Task among other sections', '\n## Notes\nkeep\n', ''],
  ['CRLF', '\r\n## Task\r\n\r\n## Notes\r\nkeep\r\n', ''],
];

test.each(CASES)('%s', (_name, body, read) => {
  const text = wrapBody(HEAD + body, 'tasks/a.md', TAG);
  expect(text.match(/^<!-- \/?body abcdefghij -->\r?$/gm)).toHaveLength(2);
  expect(readLocalSide('tasks/a.md', text)).toMatchObject({ body: read });
  if (body.includes('keep')) expect(text).toMatch(/^## Notes\r?\nkeep\r?$/m);
  // What is wrapped stays as it is.
  expect(wrapBody(text, 'tasks/a.md', 'zyxwvutsrq')).toBe(text);
});
