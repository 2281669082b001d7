import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputFilter } from '../../../src/cli/lines/display-text.ts';
import { forAll } from '../../support/for-all.ts';

const piece = fc.constantFrom(
  ...['text\n', '\u001b[31m', '\u001b[0m', '\u001b[2J', '\u001b[?25l', '\u001b]52;c;aGk=\u0007'],
  ...['\u001bc', '\u0008', '\u001b]0;t\u001b\\', 'é日'],
);

test('colours pass, everything else that steers is gone', () => {
  const filter = createOutputFilter();
  expect(filter('a\u001b[31mred\u001b[0m\u001b[2J\u001b]52;c;aGk=\u0007b\tc\r\n\u001bc')).toBe(
    'a\u001b[31mred\u001b[0mb\tc\r\n',
  );
});

test('where the output is cut into pieces makes no difference', () => {
  forAll(300, fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
    const text = `${parts.join('')}end\n`;
    const whole = createOutputFilter()(text);
    const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
    const filter = createOutputFilter();
    let at = 0;
    let pieced = '';
    for (const place of [...places, text.length]) {
      pieced += filter(text.slice(at, place));
      at = place;
    }
    expect(pieced).toBe(whole);
    expect(whole.replace(/\u001b\[[0-9;]*m/g, '')).not.toMatch(/\u001b/);
  });
});
