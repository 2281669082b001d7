import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontMatter, readPlainYaml } from '../../../src/core/document/front-matter.ts';
import { readYaml } from '../../../src/core/document/yaml-read.ts';
import { forAll } from '../../support/for-all.ts';

const numRuns = Number(process.env.FC_RUNS ?? 3_000);

const PIECES = [
  ...['true', 'True', 'false', 'null', 'NULL', '~', 'yes', 'on', '0', '7', '007', '12345678901234567890'],
  ...[
    ...['0x1f', '0o7', '1e5', '12e03', '1.5', '.inf', '.nan', 'NaN', '2026-11-20', 'T10:00:00Z', '1:30'],
    '1_000',
  ],
  ...[
    ...['a', 'word', 'ab12', '3nprht9x', 'e', 'E', 'x', ' ', '  ', ':', ': ', ' :', '#', ' #', "'", '"'],
    ...['[', ']', ','],
  ],
  ...[
    ...['-', '- ', '?', '*', '&', '!', '|', '>', '%', '@', '`', '{', '}', '.', '=', '<<', '---', '...'],
    ...['\t', 'é', '\r'],
  ],
  ...['/', '(', ')', ';', '+', '_', '\n  ', '\n', '\\'],
];
const words = (max: number) =>
  fc.array(fc.constantFrom(...PIECES), { maxLength: max }).map((all) => all.join(''));
const quoted = words(4).map((text) => `"${text}"`);
const list = fc.array(fc.oneof(words(3), quoted), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`);
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('id', 'status', 'labels', 'blocked_by', 'a-b', 'title') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('null', 'True', '__proto__', 'constructor', '12', '<<', 'a b', ''),
  },
  { weight: 1, arbitrary: words(2) },
);
const colon = fc.oneof(
  { weight: 8, arbitrary: fc.constant(': ') },
  { weight: 1, arbitrary: fc.constantFrom(':', ':  ', ' : ', ': \t') },
);
const line = fc.tuple(key, colon, fc.oneof(words(4), quoted, list)).map((parts) => `${parts.join('')}\n`);
const source = fc.array(line, { maxLength: 5 }).map((lines) => lines.join(''));

describe('plain front matter', () => {
  it('is read as the parser reads it, or left to it', () => {
    let taken = 0;
    const check = (yaml: string) => {
      const plain = readPlainYaml(yaml);
      if (plain === null) return;
      taken += 1;
      const parsed = readYaml(yaml);
      if (!parsed.ok) throw new Error(`the parser refuses ${JSON.stringify(yaml)}`);
      const { data, sources, offsets } = parsed.value;
      expect(plain).toEqual({ document: null, map: null, data, sources, offsets });
      expect(Object.keys(plain.data)).toEqual(Object.keys(data));
    };
    forAll(3000, source, check);
    // Single lines meet the shortcut far more often.
    forAll(6000, line, check);
    expect(taken).toBeGreaterThan(numRuns / 10);
  });

  it('is split as the careful way splits it', () => {
    const end = fc.constantFrom('---\n', '---', '--- \n', '----\n', '...\n', '---\n\n## Task\n---\n', '');
    const start = fc.constantFrom('---\n', '\uFEFF---\n', '--- \n', '---\r\n', '---yaml\n', '\n---\n');
    forAll(3000, start, source, end, (before, yaml, after) => {
      const text = before + yaml + after;
      const [quick, careful] = [readFrontMatter(text), readFrontMatter(text, true)];
      expect(quick.ok).toBe(careful.ok);
      if (!quick.ok || !careful.ok) {
        expect(quick).toEqual(careful);
        return;
      }
      expect(quick.value.frontMatter).toEqual(careful.value.frontMatter);
      expect(quick.value.yaml?.data).toEqual(careful.value.yaml?.data);
      expect(quick.value.yaml?.sources).toEqual(careful.value.yaml?.sources);
      expect(quick.value.yaml?.offsets).toEqual(careful.value.yaml?.offsets);
    });
  });

  it.each([
    ['id: 3nprht9x\nstatus: todo\npaused: false\n', { id: '3nprht9x', status: 'todo', paused: false }],
    ['due: 2026-11-20\nsort: 12\n', { due: '2026-11-20', sort: 12 }],
    ['title: Fix it, soon (really)!\n', { title: 'Fix it, soon (really)!' }],
    ['labels: [api, web ui]\nblocked_by: []\n', { labels: ['api', 'web ui'], blocked_by: [] }],
    ['remote: task:github:acme/web#12\n', { remote: 'task:github:acme/web#12' }],
    [
      'title: "Fix: the #1 \u201cbug\u201d \u{1F41B} "\nscope: ""\n',
      { title: 'Fix: the #1 \u201cbug\u201d \u{1F41B} ', scope: '' },
    ],
    ['labels: ["type: bug", api, "a, b" ]\n', { labels: ['type: bug', 'api', 'a, b'] }],
  ])('takes %j', (yaml, data) => expect(readPlainYaml(yaml)?.data).toEqual(data));
});
