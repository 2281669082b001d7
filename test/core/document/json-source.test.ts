import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/core/document/json-source.ts';

const numRuns = Number(process.env.FC_RUNS ?? 300);

describe('JSON with places', () => {
  it('accepts what JSON.parse accepts and gives the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
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
      }),
      { numRuns },
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      ...'{}[]":,0.-e1\\u \n\t/',
      '"a"',
      'true',
      'null',
      '1e5',
      '\\n',
      '\u0001',
      '01',
      '"\\u00e9"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
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
      }),
      { numRuns: numRuns * 5 },
    );
  });

  it('reads a text of a megabyte', () => {
    const text = 'x\\n'.repeat(350_000);
    expect(readJson(`"${text}"`, 64)).toMatchObject({ ok: true });
    expect(readJson(`"${text}`, 64)).toMatchObject({ ok: false, offset: 0 });
  });
});
