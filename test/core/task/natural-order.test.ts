// Names in the order in which people count.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNames } from '../../../src/core/task/names.ts';

test('numbers in names compare by their value', () => {
  const names = ['T2.md', 'T02a.md', 'T10.md', 'T10b.md', 'a1 b9', 'a1 b10', 'x'];
  expect(names.toReversed().sort(compareNames)).toEqual(names);
});

test('any names have one order, wherever they stood', () => {
  const name = fc.string({ unit: fc.constantFrom('0', '1', '2', 'a', ' ', '.'), maxLength: 6 });
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (names, places) => {
      const others = names.map((each) => [each, places.next().value!] as const).sort((a, b) => a[1] - b[1]);
      expect(others.map(([each]) => each).sort(compareNames)).toEqual(names.toSorted(compareNames));
    }),
  );
});
