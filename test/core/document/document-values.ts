// Values that YAML readers like to take for something else.
import fc from 'fast-check';
import type { Value } from '../../../src/core/document/document.ts';

const NASTY = [
  ...[
    ...['', ' ', 'yes', 'No', 'ON', 'null', '~', 'NULL', 'true', 'y', '<<', '=', '-', '?', ':', '---'],
    ...['...', '.inf'],
  ],
  ...[
    ...['007', '0o17', '0x1F', '12e3', '1_000', '1,000', '1:30', '190:20:30.15', '2026-11-20'],
    '2026-11-20T10:00:00Z',
  ],
  ...[
    ...['.5', '+1', '-1', '1.', '- a', '-a', '? a', '?a', ': a', 'a: b', 'a:', 'a:b', 'a #b', '#a', 'a#b'],
    '@alice',
  ],
  ...[
    ...['`x`', '%x', '!x', '&x', '*x', '|', '>', '"q"', "'q'", "it's", 'say "hi"', '[a', 'a]', '{a'],
    ...['a, b', ','],
  ],
  ...[
    ...['a\nb', 'a\r\nb', '\ttab', 'a\tb', 'trail ', '\u0000', '\u0085', '\u2028', '\u00a0nbsp'],
    ...['\uFEFFbom', '\uD800'],
  ],
  ...[
    ...['back\\slash', '3nprht9x', '3bad0f0e', 'https://x.y/z?a=b#c', 'é😀', '\u200b', '\u007f', '\u202e'],
    '😀'.repeat(40),
  ],
];

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...' \t\n\r#:-?,[]{}&*!|>\'"%@`~=.0123456789eExXoO+_abyYnN'),
    maxLength: 10,
  }),
);

export const value: fc.Arbitrary<Value> = fc.oneof(
  text,
  fc.array(text, { maxLength: 4 }),
  fc.boolean(),
  fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((n) => (n === 0 ? 0 : n)),
);
