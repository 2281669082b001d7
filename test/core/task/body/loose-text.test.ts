import { expect, test } from 'vitest';
import { formatComment, formatOutcome, formatProgress } from '../../../../src/core/task/body/entries.ts';
import { readSections } from '../../../../src/core/task/body/sections.ts';
import { readLooseText } from '../../../../src/core/task/read-task.ts';
import type { Status } from '../../../../src/core/task/status.ts';

const AT = Date.UTC(2026, 0, 1);
const comment = formatComment({ author: 'owner', role: null, atMs: AT, id: 'x', text: 'Said.\n\n> twice' });
const progress = formatProgress({ atMs: AT, text: '# Looked\n\n- at it\n\n```\ncode' });
const outcome = formatOutcome({ atMs: AT, author: 'agent:a', text: 'Well.\n\nAll of it.' });

function looseIn(body: string, status: Status = 'todo'): string[] {
  return readLooseText(body, readSections(body), status).map(({ section, line, start }) => {
    expect(body.slice(start).trimStart().startsWith(line)).toBe(true);
    return `${section}: ${line}`;
  });
}

test('what the runtime writes is never loose', () => {
  const older = '*12 older entries: .taskroom/spill/a.md*';
  const body = `Do it.\n\n## Comments\n\n${older}\n\n${comment}\n\n${comment}\n\n## Progress\n\n${older}\n${progress}\n${progress}\n- by hand\n\n## Outcome\n\n${outcome}\n\n${outcome}\n`;
  for (const text of [body, body.replaceAll('\n', '\r\n')]) expect(looseIn(text)).toEqual([]);
  expect(looseIn('## Comments\n\n<!-- a hint\nof two lines -->\n\n## Progress\n\n## Outcome\n')).toEqual([]);
});

test('text between and below entries is, a piece each', () => {
  const body = `## Comments\nOne\nline\n\n${comment}\n\n### Two\n\nmore\n\n## Progress\n\n${progress}\n\nThree\n\n## Outcome\n\nFour\n\n${outcome}\n`;
  const [one, two, three, four] = ['Comments: One', 'Comments: ### Two', 'Progress: Three', 'Outcome: Four'];
  expect(looseIn(body)).toEqual([one, two, three, four]);
  expect(looseIn(body, 'doing')).toEqual([one, two, three]);
  expect(looseIn(body, 'done')).toEqual([one, two]);
});
