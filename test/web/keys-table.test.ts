// The table of keys in the documentation is the one that the board and `top` show.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyOf, PERSON_ACTIONS } from '../../src/core/person-keys.ts';
import { SUMMARIES } from '../../src/operations/summaries.ts';

const PAGE = join(import.meta.dirname, '../../docs/board.md');
const PLACE = /(<!-- keys: [^\n]*-->\n)[\s\S]*?(<!-- \/keys -->)/;

test('docs/board.md has every key, and each key is one action', () => {
  const rows = PERSON_ACTIONS.map((action) => {
    const { key, about, command, asks, only } = keyOf(action);
    const notes = [asks && 'asks first', only && `${only === 'top' ? '`top`' : 'board'} alone`].filter(
      Boolean,
    );
    return `| \`${key}\` | ${about ?? SUMMARIES[command!]}${notes.length > 0 ? ` (${notes.join('; ')})` : ''} |`;
  });
  const page = readFileSync(PAGE, 'utf8');
  const wanted = page.replace(PLACE, `$1\n| key | what it does |\n|---|---|\n${rows.join('\n')}\n\n$2`);
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, wanted);
  else expect(page).toBe(wanted);
  const keys = PERSON_ACTIONS.map((action) => keyOf(action).key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(
    PERSON_ACTIONS.every(
      (action) => (keyOf(action).about ?? SUMMARIES[keyOf(action).command!]) !== undefined,
    ),
  ).toBe(true);
});
