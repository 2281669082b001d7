import { expect, test } from 'vitest';
import { takerOf } from '../../../src/core/rules/dispatch.ts';

test.each<[string, waiting: string[], fallbacks: Record<string, string>, taker: string | null]>([
  ['one that can', [], { a: 'b' }, 'a'],
  ['nobody stands in', ['a'], {}, null],
  ['its fallback', ['a'], { a: 'b' }, 'b'],
  ['the fallback of its fallback', ['a', 'b'], { a: 'b', b: 'c' }, 'c'],
  ['all wait', ['a', 'b'], { a: 'b' }, null],
  ['a circle ends the search', ['a', 'b'], { a: 'b', b: 'a' }, null],
])('%s', (_, waiting, fallbacks, taker) => {
  const facts = {
    waits: (agent: string) => waiting.includes(agent),
    fallbackOf: (agent: string) => fallbacks[agent] ?? null,
  };
  expect(takerOf('a', facts)).toBe(taker);
});
