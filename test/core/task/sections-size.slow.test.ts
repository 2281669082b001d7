import { expect, test } from 'vitest';
import { showInvisible } from '../../../src/core/context/fence.ts';
import { applyEdits } from '../../../src/core/document/edits.ts';
import {
  formatProgress,
  readComments,
  readOutcome,
  readProgress,
} from '../../../src/core/task/body/entries.ts';
import { findForeignBody, safeAgentText } from '../../../src/core/task/body/foreign-text.ts';
import { appendToSection, readSections } from '../../../src/core/task/body/sections.ts';
import { readSteps } from '../../../src/core/task/body/steps.ts';
import { revisionText } from '../../../src/core/task/read-task.ts';

const MIB = 1024 * 1024;
const fill = (unit: string): string => unit.repeat(Math.ceil(MIB / unit.length));
// Each would take minutes with a reading that goes back over what it has passed.
const bodies = {
  'sections of one name': fill('## Steps\n- [ ] a\n'),
  'sections of all names': fill(
    '## Steps\n- [ ] a\n## Comments\n**@a** · 2026-11-20 10:00 <!-- c:1 -->\n> x\n## Outcome\nx\n## Progress\n- x\n',
  ),
  'a title of spaces': `a${' '.repeat(MIB)}b\nc\n---\n`,
  'a step of spaces': `## Steps\n- [ ] a${' '.repeat(MIB)}b\n- [ ] ${'(task:'.repeat(MIB / 16)}\n`,
  'blank lines': `## Outcome\n${'\n'.repeat(MIB)}x\n\n## Progress\n- 2026-11-20 10:00 ·${'\n'.repeat(MIB)}  x`,
  'body markers': fill('<!-- body \n'),
  'torn bodies': `<!-- body abcdefghij -->\n${fill('<!-- /body abcdefghij -->x\n')}`,
  'comment markers': fill('<!--'),
  'comment markers and space': fill('<!-- \n'),
  joiners: fill('\u200d'),
  outcomes: `## Outcome\n${fill('**2026-11-20 10:00** · a\n\nb\n\n')}`,
};

test.each(Object.entries(bodies))('a mebibyte and more of %s is read in linear time', (_, body) => {
  const before = revisionText({ title: null, owner: null, body });
  const progress = readProgress(body).length;
  const result = applyEdits(
    body,
    appendToSection(body, 'Progress', formatProgress({ atMs: 0, text: 'x' }), 0),
  );
  expect(readProgress(result).length).toBe(progress + 1);
  expect(revisionText({ title: null, owner: null, body: result })).toBe(before);
  expect(
    readSections(body).sections.length +
      readSteps(body).length +
      readComments(body).length +
      readOutcome(body).length,
  ).toBeGreaterThanOrEqual(0);
  expect(findForeignBody(body)).toBeNull();
  expect(showInvisible(safeAgentText(body)).length).toBeGreaterThan(0);
});
