// The order of what is over, however often it is put in order.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskRow } from '../../src/web/api/shapes.ts';
import { createFinishOrder } from '../../src/web/views/board/finish-order.ts';

const tasks = fc.uniqueArray(
  fc.record({
    path: fc.integer({ max: 30 }).map(String),
    finished_at: fc.option(fc.integer({ max: 9 }).map((day) => `2026-11-0${Math.abs(day) % 10}`)),
  }),
  { selector: ({ path }) => path, maxLength: 20 },
);

test('the newest first, none lost and none twice, after whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(tasks, { minLength: 1, maxLength: 5 }), (lists) => {
      const order = createFinishOrder();
      for (const list of lists) {
        const ordered = order(list as unknown as TaskRow[]);
        expect(new Set(ordered)).toEqual(new Set(list));
        expect(ordered).toHaveLength(list.length);
        const times = ordered.map((task) => task.finished_at ?? '');
        expect(times).toEqual([...times].sort().reverse());
      }
    }),
  );
});
