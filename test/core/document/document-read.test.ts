import { describe, expect, it } from 'vitest';
import {
  decodeDocument,
  MAX_FILE_BYTES,
  MAX_FRONT_MATTER_BYTES,
  type ParsedDocument,
  parseDocument,
} from '../../../src/core/document/document.ts';
import type { Problem } from '../../../src/core/errors.ts';

function read(text: string): ParsedDocument {
  const result = parseDocument(text, 'x.md');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.doc;
}

function problems(text: string): Problem[] {
  const result = parseDocument(text, 'x.md');
  if (result.ok) throw new Error(`valid: ${JSON.stringify(result.doc.data)}`);
  return result.problems;
}

const places = (text: string) => problems(text).map(({ line, col }) => `${line}:${col}`);

describe('parseDocument', () => {
  it.each([
    ['', 0],
    ['body', 0],
    ['\uFEFFbody', 1],
    ['----\na\n----\n', 0],
    ['\n---\na: 1\n---\n', 0],
    [' ---\na: 1\n---\n', 0],
    ['--\n', 0],
  ])('takes %j as a body alone', (text, bodyStart) => {
    expect(read(text)).toMatchObject({ frontMatter: null, bodyStart, data: {} });
  });

  it.each(['---\n---', '---\n\n---\n', '---\n# c\n---\n', '---\n#\n---\nx', '--- \t\n\t\n---  \n'])(
    'takes %j as empty front matter',
    (text) => {
      const doc = read(text);
      expect(doc.data).toEqual({});
      expect(doc.frontMatter).not.toBeNull();
    },
  );

  it('keeps the last line end of a block scalar, and dates and words as text', () => {
    expect(read('---\na: |\n  x\n---\n').data).toEqual({ a: 'x\n' });
    expect(read('---\nd: 2026-11-20\ny: yes\nt: !!timestamp 2026-11-20\n---\n').data).toEqual({
      d: '2026-11-20',
      y: 'yes',
      t: '2026-11-20',
    });
  });

  it('never reaches a prototype', () => {
    const { data, sources } = read('---\n__proto__: {x: 1}\nconstructor: y\n---\n');
    expect(Object.keys(data)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(sources.toString).toBeUndefined();
  });

  it('resolves aliases to what stood above them', () => {
    const yaml = 'a: &x [1]\nb: *x\nc: &x 2\nd: [*x]\n';
    expect(read(`---\n${yaml}---\n`).data).toEqual({ a: [1], b: [1], c: 2, d: [2] });
  });
});

describe('invalid front matter', () => {
  it.each([
    ['unclosed', '---\na: 1\n\n# Text\n', '1:1', /never closed/],
    ['nothing but the opening', '---', '1:1', /never closed/],
    ['a BOM before it', '\uFEFF---\na: 1\n', '1:2', /never closed/],
    ['a language', '---js\nmodule.exports = 1\n---\n', '1:4', /text after the opening.*"js"/],
    ['a comment on the fence', '--- # x\na: 1\n---\n', '1:4', /text after the opening/],
    ['a closing with text', '---\na: 1\n---foo\nb\n---\n', '3:1', /not its end/],
    ['a closing with more dashes', '---\na: 1\n----\n---\n', '3:1', /not its end/],
    ['dots as the closing', '---\na: 1\n...\nbody\n', '3:1', /`\.\.\.` does not close/],
    ['dots inside', '---\na: 1\n... # x\nb: 2\n---\n', '3:1', /`\.\.\.` does not close/],
    ['a horizontal rule first', '---\n\nSome text\n\n---\n', '3:1', /not a list of keys and values/],
    ['a list', '---\n- a\n---\n', '2:1', /not a list of keys/],
    ['a null', '---\n~\n---\n', '2:1', /not a list of keys/],
    ['no-break spaces alone', '---\n\u00a0\n---\n', '2:1', /not a list of keys/],
    ['CR line ends', '---\rid: 1\r---\r', '1:4', /carriage return/],
    ['a CR inside', '---\na: 1\rb: 2\n---\n', '2:5', /carriage return/],
    ['a CR behind the closing', '---\na: 1\n---\rbody', '3:4', /carriage return/],
    ['a duplicate key', '---\na: 1\nb: 2\n"a": 3\n---\n', '4:1', /"a" stands here twice/],
    ['a nested duplicate', '---\na: {b: 1, b: 2}\n---\n', '2:11', /"b" stands here twice/],
    ['a tab as indent', '---\na:\n\tb: 1\n---\n', '3:1', /[Tt]ab/],
    ['a reserved character', '---\nowner: @alice\n---\n', '2:8', /reserved character @/],
    ['a colon in a plain value', '---\ntitle: fix: it\n---\n', '2:8', /Nested mappings/],
    ['an unclosed quote', '---\na: 1\nb: "x\n---\n', '3:4', /Missing closing/],
    ['an unclosed bracket', '---\na: 1\nb: [x\n---\n', '3:4', /end with a \]/],
    ['an unknown alias', '---\nc: 1\na: *bold*\n---\n', '3:4', /names no anchor/],
    ['an alias inside its anchor', '---\na: &x [1, *x]\n---\n', '2:11', /contains itself/],
    ['a list as a key', '---\n? [a]\n: b\n---\n', '2:3', /key that is not a word/],
    ['no key', '---\n: b\n---\n', '2:1', /key that is not a word/],
    ['CRLF before the place', '---\r\na: 1\r\nb: @x\r\n---\r\n', '3:4', /reserved character/],
  ])('%s', (_, text, place, message) => {
    const [first] = problems(text);
    expect(`${first!.line}:${first!.col}`).toBe(place);
    expect(first!.message).toMatch(message);
    expect(first!.path).toBe('x.md');
    expect(first!.expected ?? first!.hint ?? first!.message).toBeTruthy();
  });

  it('tells all problems, in order, ten at most', () => {
    expect(places('---\na: @x\nb: 1\nc: `y\n---\n')).toEqual(['2:4', '4:4']);
    expect(places(`---\n${'a: @x\n'.repeat(50)}---\n`)).toHaveLength(10);
    expect(places(`---\n${'a: x\n'.repeat(50)}---\n`)).toHaveLength(10);
  });

  it('evaluates nothing', () => {
    const spy = globalThis as Record<string, unknown>;
    for (const word of ['js', 'javascript', 'JS', ' js', 'json', 'coffee', 'toml'])
      expect(problems(`---${word}\n(globalThis.ran = 1)\n---\n`)[0]!.line).toBe(1);
    expect(spy.ran).toBeUndefined();
  });
});

describe('input made to hurt', () => {
  const wrap = (yaml: string) => `---\n${yaml}\n---\n`;
  const near = MAX_FRONT_MATTER_BYTES - 16;

  it('is refused unread when the front matter is too long', () => {
    for (const yaml of ['['.repeat(1e7), '\n'.repeat(1e7), 'é'.repeat(near / 2 + 20)]) {
      expect(problems(wrap(yaml))).toMatchObject(
        [{ line: 2, col: 1, message: /longer than 64 KiB/ }].map(asText),
      );
    }
    expect(read(wrap(`a: ${'é'.repeat(near / 2)}`)).data.a).toHaveLength(near / 2);
  });

  const asText = (problem: { line: number; col: number; message: RegExp }) => ({
    ...problem,
    message: expect.stringMatching(problem.message),
  });

  it('can nest only so deep', () => {
    for (const yaml of [`a: ${'['.repeat(near)}`, '{a: '.repeat(near / 4), '- '.repeat(near / 2)])
      expect(problems(wrap(yaml))[0]!.message).toMatch(/too deeply/);
    const nest = (depth: number) => wrap(`a: ${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(problems(nest(500))[0]!.message).toMatch(/more than 64 levels/);
    expect(read(nest(60)).data.a).toBeInstanceOf(Array);
  });

  it('can not make aliases grow', () => {
    const levels = Array.from({ length: 1500 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]`);
    const bomb = problems(wrap(`a0: &a0 [x]\n${levels.join('\n')}`));
    expect(bomb).toHaveLength(1);
    expect(bomb[0]!.message).toMatch(/too many values/);
    const few = `a: &a [x, y]\nb: [${'*a,'.repeat(1000)}]`;
    expect(read(wrap(few)).data.b).toEqual(Array(1000).fill(['x', 'y']));
  });

  it('may have thousands of keys, errors and comments', () => {
    const keys = Array.from({ length: 8000 }, (_, i) => `k${i.toString(36)}:`);
    expect(Object.keys(read(wrap(keys.join('\n'))).data)).toHaveLength(8000);
    expect(problems(wrap('}'.repeat(near)))).toHaveLength(10);
    expect(problems(wrap(`a: [${','.repeat(near)}`)).at(-1)!.message.length).toBeLessThan(200);
    expect(read(wrap('#\n'.repeat(near / 2))).data).toEqual({});
  });
});

describe('decodeDocument', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
  const fault = (data: Uint8Array) => {
    const result = decodeDocument(data, 'x.md');
    if (result.ok) throw new Error('decoded');
    const [{ line, col, message }] = result.problems as [Problem];
    return `${line}:${col} ${message}`;
  };

  it('gives the text with its BOM', () => {
    const text = '\uFEFF---\na: é😀\n---\n\u0001';
    expect(decodeDocument(bytes(text), 'x.md')).toEqual({ ok: true, text });
    expect(decodeDocument(new Uint8Array(), 'x.md')).toEqual({ ok: true, text: '' });
  });

  it.each<[string, string, Uint8Array]>([
    ['Latin-1', '2:6 the file is not UTF-8: byte 0xe9', bytes('a\né😀 x', [0xe9], 'y\n')],
    ['a torn character', '1:3 the file is not UTF-8: byte 0xe2', bytes('ab', [0xe2, 0x82])],
    ['an overlong slash', '1:1 the file is not UTF-8: byte 0xc0', bytes([0xc0, 0xaf])],
    ['an overlong form of three', '1:2 the file is not UTF-8: byte 0xe0', bytes('a', [0xe0, 0x80, 0xaf])],
    ['a surrogate', '3:1 the file is not UTF-8: byte 0xed', bytes('\n\n', [0xed, 0xa0, 0x80])],
    ['above U+10FFFF', '1:1 the file is not UTF-8: byte 0xf4', bytes([0xf4, 0x90, 0x80, 0x80])],
    [
      'a byte after a replacement character',
      '1:4 the file is not UTF-8: byte 0xef',
      bytes('a\uFFFDé', [0xef, 0xbf]),
    ],
    ['NUL', '2:2 the file holds a NUL byte', bytes('a\nb', [0], 'c')],
    ['NUL before bad UTF-8', '1:1 the file holds a NUL byte', bytes([0], 'c', [0xff])],
    ['bad UTF-8 before NUL', '1:2 the file is not UTF-8: byte 0xff', bytes('c', [0xff], [0])],
    ['UTF-16', '1:1 the file is UTF-16, not UTF-8', Buffer.from('\uFEFF---\n', 'utf16le')],
  ])('refuses %s', (_, expected, data) => {
    expect(fault(data)).toBe(expected);
    // The decoder is shared: a failure must not touch the next file.
    expect(decodeDocument(bytes('é'), 'x.md')).toEqual({ ok: true, text: 'é' });
  });

  it('takes 1 MiB and refuses one byte more', () => {
    expect(decodeDocument(Buffer.alloc(MAX_FILE_BYTES, 'a'), 'x.md').ok).toBe(true);
    expect(fault(Buffer.alloc(MAX_FILE_BYTES + 1, 'a'))).toMatch(/^1:1 the file is larger than 1 MiB/);
  });
});
