import fc from 'fast-check';
import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import {
  type ParsedDocument,
  parseDocument,
  removeKey,
  setKey,
  type Value,
} from '../../../src/core/document/document.ts';
import { formatValue } from '../../../src/core/document/yaml-scalar.ts';
import { isRoomError } from '../../../src/core/errors.ts';
import { forAll } from '../../support/for-all.ts';
import { anyKey, bare, type Sample, sample } from './document-fragments.ts';
import { text, value } from './document-values.ts';

function read(source: string): ParsedDocument {
  const result = parseDocument(source, 'x.md');
  if (!result.ok) throw new Error(`${JSON.stringify(source)}: ${JSON.stringify(result.problems)}`);
  return result.doc;
}

function own(data: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

function without(data: Record<string, unknown>, key: string): [string, unknown][] {
  return Object.entries(data).filter(([name]) => name !== key);
}

/** The edit's result, or null where a refusal is right: another key repeats this one, it has a tag, or `isFree`. */
function attempt(doc: Sample, key: string, edit: () => string, isFree = false): string | null {
  try {
    return edit();
  } catch (error) {
    const entry = doc.entries.find((each) => each.key === key);
    if (isRoomError(error, 'conflict') && (isFree || entry?.delicate)) return null;
    throw error;
  }
}

/** Everything outside [start, end) of the old text stands in the new one; returns what took its place. */
function between(old: string, now: string, start: number, end: number): string {
  const tail = old.length - end;
  expect(now.slice(0, start)).toBe(old.slice(0, start));
  expect(now.length).toBeGreaterThanOrEqual(start + tail);
  expect(now.slice(now.length - tail)).toBe(old.slice(end));
  return now.slice(start, now.length - tail);
}

function isYesNo(old: unknown, value: Value): boolean {
  return typeof value === 'boolean' && typeof old === 'string' && /^(yes|no|on|off|true|false)$/i.test(old);
}

describe('edits of hostile documents', () => {
  it('parses what the fragments make', () => {
    forAll(300, sample, (doc) => {
      const keys = Object.keys(read(doc.text).data);
      expect(keys.sort()).toEqual(doc.entries.map((entry) => entry.key).sort());
    });
  });

  it('sets a key inside its own lines, and it reads back', () => {
    forAll(500, sample, fc.nat(), value, (doc, pick, next) => {
      fc.pre(doc.entries.length > 0);
      const entry = doc.entries[pick % doc.entries.length]!;
      const before = read(doc.text);
      fc.pre(!isYesNo(before.data[entry.key], next));
      const now = attempt(doc, entry.key, () => setKey(doc.text, entry.key, next));
      if (now === null) return;
      between(doc.text, now, entry.start, entry.end);
      const after = read(now);
      expect(own(after.data, entry.key)).toEqual(next);
      expect(without(after.data, entry.key)).toEqual(without(before.data, entry.key));
      expect(Object.keys(after.data)).toEqual(Object.keys(before.data));
      expect(setKey(now, entry.key, next)).toBe(now);
      restores(before, now, entry.key);
    });
  });

  function restores(before: ParsedDocument, now: string, key: string): void {
    const old = before.data[key];
    const isList = Array.isArray(old) && old.every((item) => typeof item === 'string');
    if (!isList && !['string', 'number', 'boolean'].includes(typeof old)) return;
    if (isYesNo(read(now).data[key], old as Value)) return;
    const back = setKey(now, key, old as Value);
    expect(Object.entries(read(back).data)).toEqual(Object.entries(before.data));
    expect(back.slice(read(back).bodyStart)).toBe(before.text.slice(before.bodyStart));
  }

  it('adds a key as one line, and takes it out again without a trace', () => {
    forAll(400, sample, anyKey, value, (doc, key, next) => {
      fc.pre(doc.entries.every((entry) => entry.key !== key));
      const before = read(doc.text);
      const now = setKey(doc.text, key, next);
      const { yamlStart, yamlEnd } = before.frontMatter!;
      if (doc.form === 'flow') {
        const added = between(doc.text, now, yamlStart, yamlEnd);
        expect(added.length).toBeGreaterThan(yamlEnd - yamlStart);
      } else {
        const line = between(doc.text, now, yamlEnd, yamlEnd);
        expect(line.startsWith(doc.indent) && line.indexOf('\n') === line.length - 1).toBe(true);
        expect(line.endsWith(doc.eol)).toBe(true);
      }
      expect(own(read(now).data, key)).toEqual(next);
      expect(without(read(now).data, key)).toEqual(Object.entries(before.data));
      expect(removeKey(now, key)).toBe(doc.text);
    });
  });

  it('removes a key and nothing else', () => {
    forAll(400, sample, fc.nat(), (doc, pick) => {
      fc.pre(doc.entries.length > 0);
      const entry = doc.entries[pick % doc.entries.length]!;
      const before = read(doc.text);
      const now = attempt(doc, entry.key, () => removeKey(doc.text, entry.key), entry.belowKept);
      if (now === null) return;
      const { yamlStart, yamlEnd } = before.frontMatter!;
      // In a flow map a comma goes too.
      if (doc.form === 'flow') between(doc.text, now, yamlStart, yamlEnd);
      else between(doc.text, now, entry.start, entry.end);
      expect(Object.entries(read(now).data)).toEqual(without(before.data, entry.key));
      expect(removeKey(now, entry.key)).toBe(now);
    });
  });

  it('puts front matter in front of a body that has none', () => {
    forAll(200, bare, anyKey, value, (doc, key, next) => {
      const at = Number(doc.text.startsWith('\uFEFF'));
      const made = between(doc.text, setKey(doc.text, key, next), at, at).split(doc.eol);
      expect([made.length, made[0], made[2], made[3], made[4]]).toEqual([5, '---', '---', '', '']);
      expect(own(read(setKey(doc.text, key, next)).data, key)).toEqual(next);
      expect(removeKey(doc.text, key)).toBe(doc.text);
    });
  });
});

it('written values are the same string to readers of YAML 1.2 and 1.1', () => {
  const style = fc.record({
    flow: fc.boolean(),
    quote: fc.constantFrom('plain' as const, 'single' as const, 'double' as const),
  });
  forAll(1500, text, style, (string, style) => {
    const written = formatValue(string, style);
    expect(written).not.toMatch(/[\r\n]/);
    const yaml = style.flow ? `k: [${written}, 1]\nz: 1\n` : `k: ${written}\nz: 1\n`;
    const expected = { k: style.flow ? [string, 1] : string, z: 1 };
    expect(parseYaml(yaml)).toEqual(expected);
    expect(parseYaml(yaml, { version: '1.1' })).toEqual(expected);
    // gray-matter's own engine is js-yaml 3.
    expect(matter(`---\n${yaml}---\n`, {}).data).toEqual(expected);
  });
});

describe('any text', () => {
  const lines = fc.constantFrom(
    ...[
      ...['---', '--- ', '---\t', '----', '---js', '--- # c', '---foo', '...', '... x', '...x', '', ' '],
      ...['# c', '#'],
    ],
    ...[
      ...['id: 1', 'a: [', '  - x', '- x', '\tx: 1', 'text', 'a: |', '  ---', '"', '{', '}', '@', ' ---'],
      ...['\u00a0', '\u2028'],
    ],
    ...[
      ...['a: &a [*a]', 'b: *c', '? x', ': y', '%YAML 1.1', '!!map', '&r', '__proto__: 1', '1: 2'],
      '<<: {a: 1}',
    ],
  );
  const soup = fc
    .tuple(
      fc.constantFrom('', '', '\uFEFF', '\uFEFF\uFEFF', '---\n', '---\r\n'),
      fc.array(fc.tuple(lines, fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')), { maxLength: 9 }),
      fc.constantFrom('', 'end', '---'),
    )
    .map(([head, rows, tail]) => head + rows.map((row) => row.join('')).join('') + tail);

  it('is read as gray-matter splits it, or refused with a place inside the text', () => {
    const refuse = () => {
      throw new Error('evaluated');
    };
    const engines = { yaml: () => ({}), javascript: refuse, json: refuse };
    forAll(2000, soup, (source) => {
      const result = parseDocument(source, 'x.md');
      if (!result.ok) {
        expect(result.problems.length).toBeGreaterThan(0);
        for (const { line, col, message } of result.problems) {
          expect(line).toBeLessThanOrEqual(source.split('\n').length);
          expect(col).toBeLessThanOrEqual((source.split('\n')[line - 1] ?? '').length + 1);
          expect(message).toMatch(/^[^\n]+$/);
        }
        expect(() => setKey(source, 'k', 'v')).toThrow(expect.objectContaining({ code: 'invalid_file' }));
        return;
      }
      const { frontMatter } = result.doc;
      const file = matter(source, { engines });
      // What gray-matter leaves of the closing line is blank.
      const rest = frontMatter ? source.slice(frontMatter.yamlEnd + 3) : null;
      expect(file.matter ?? '').toBe(
        frontMatter ? source.slice(frontMatter.start + 3, frontMatter.yamlEnd - 1) : '',
      );
      expect(file.content).toBe(rest?.replace(/^\r?\n?/, '') ?? source.replace(/^\uFEFF/, ''));
    });
  });

  it('is never broken by an edit that succeeds', () => {
    forAll(1000, soup, anyKey, value, (source, key, next) => {
      let now: string;
      try {
        now = setKey(source, key, next);
      } catch (error) {
        if (isRoomError(error, 'invalid_file') || isRoomError(error, 'conflict')) return;
        throw error;
      }
      const before = read(source);
      const after = read(now);
      if (now !== source) expect(own(after.data, key)).toEqual(next);
      expect(without(after.data, key)).toEqual(without(before.data, key));
      expect(now.endsWith(source.slice(before.bodyStart))).toBe(true);
    });
  });
});
