// What of a turn's output people are shown: whole words, nothing that steers a terminal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { readLastLine, readLastLines, withoutControls } from '../../../src/agents/process/output-log.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const numRuns = Number(process.env.FC_RUNS ?? 300);
let dir: string;
beforeEach(() => {
  dir = tempFolder('taskroom-output');
});

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]0;my title\u0007shown', 'shown'],
  ['\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b(B\u001b=\u001b7plain\u001bc', 'plain'],
  ['a\tb\u0008\u202ec', 'a\tbc'],
])('%j is shown as %j', (text, shown) => expect(withoutControls(text)).toBe(shown));

test('nothing of any text steers a terminal', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...['\u001b[2J', '\u001b]52;c;aGk=\u0007', '\u001bP1$r\u001b\\', '\u009b31m', '\u001b]0;cut'],
      '\u001b',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      expect(withoutControls(pieces.join(''))).not.toMatch(
        /[\0-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/,
      );
    }),
    { numRuns },
  );
});

test('the last line is the one a terminal would show last', async () => {
  writeFileSync(join(dir, 'output.log'), 'first\n10 %\r\u001b[32m100 %\u001b[0m\r\n\u001b[K\n');
  expect(await readLastLine(dir)).toBe('100 %');
  expect(await readLastLines(dir, 5, 1_000)).toEqual(['first', '100 %']);
});
