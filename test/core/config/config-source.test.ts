import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/core/config/config-source.ts';
import { forAll } from '../../support/for-all.ts';

describe('JSON with places', () => {
  it('accepts what JSON.parse accepts and gives the same value', () => {
    forAll(300, fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const reading = readJson(text, 64);
      expect(reading.ok && reading.value).toEqual(JSON.parse(text));
      if (!reading.ok) return;
      for (const [path, place] of reading.places) {
        const at = (JSON.parse(path) as (string | number)[]).reduce<unknown>(
          (node, key) => (node as Record<string, unknown>)[key],
          value,
        );
        expect(text.slice(place.value).startsWith(JSON.stringify(at, null, indent)?.[0] ?? '')).toBe(true);
      }
    });
  });

  it('refuses what JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      ...'{}[]":,0.-e1\\u \n\t/',
      ...['"a"', 'true', 'null', '1e5', '\\n', '\u0001', '01', '"\\u00e9"'],
    );
    forAll(1500, fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const reading = readJson(text, 64);
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        expect(reading.ok).toBe(false);
        return;
      }
      if (reading.ok) expect(reading.value).toEqual(parsed);
      else expect(reading.message).toMatch(/twice/);
    });
  });

  it.each([
    ['{"a":True}', 5, 'unexpected "True"', /^a value/],
    ['{a:1}', 1, 'unexpected "a"', /^a key/],
    ['{,}', 1, 'unexpected ","', /^a key/],
    ['{"a" 1}', 5, 'unexpected "1"', /^":" after/],
    ['[1 2]', 3, 'unexpected "2"', /^"," or "\]"$/],
    ['[1,{"a":2 "b":3}]', 10, 'unexpected "\\""', /^"," or "}"$/],
    ['[1,2,]', 5, '"]" right after a comma', /^a value/],
    ['{"a":{"b":1}', 12, 'the file ends here', /^"," or "}"$/],
    ['{} // end', 3, 'text after the end', /^nothing more$/],
    ['[1, // one', 4, 'unexpected "/"', /^a value/],
    ['[1.]', 1, 'a number that is not finished', /^a digit$/],
    ['["a\nb"]', 1, 'a text that is not closed, or holds a line break or a bad escape', /^text in double/],
    ['[[[[1]]]]', 3, 'nested deeper than 2 levels', undefined],
    ['[[[1,1]]]', 3, 'nested deeper than 2 levels', undefined],
    ['{"a":1,"\\u0061":2}', 7, 'key "a" stands here twice', undefined],
  ])('%j: place and words of what is wrong', (text, offset, message, expected) => {
    const reading = readJson(text, 2);
    expect(reading).toMatchObject({ ok: false, offset, message });
    if (!reading.ok && expected) expect(reading.expected).toMatch(expected);
    else expect(reading).not.toHaveProperty('expected');
  });

  it('keeps `__proto__` as a key like any other', () => {
    const reading = readJson('{"__proto__":{"a":1}}', 64);
    expect(reading.ok && Object.keys(reading.value as object)).toEqual(['__proto__']);
    expect(reading.ok && reading.places.get('["__proto__","a"]')).toEqual({ key: 14, value: 18 });
  });

  it('reads a text of a megabyte', () => {
    const text = 'x\\n'.repeat(350_000);
    expect(readJson(`"${text}"`, 64)).toMatchObject({ ok: true });
    expect(readJson(`"${text}`, 64)).toMatchObject({ ok: false, offset: 0 });
  });
});
