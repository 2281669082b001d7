import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskId } from '../../../src/core/ids.ts';
import { findBlockerFaults } from '../../../src/tasks/views/why-not.ts';
import { forAll } from '../../support/for-all.ts';

function tasks(edges: Record<string, string[]>) {
  return Object.entries(edges).map(([name, blocked_by]) => ({
    id: `id-${name}` as TaskId,
    name,
    path: `tasks/${name}.md`,
    blocked_by,
  }));
}

test('a very long chain is no circle and no trouble', () => {
  const edges: Record<string, string[]> = {};
  for (let at = 0; at < 50_000; at += 1) edges[`t${at}`] = [`t${at + 1}`];
  edges.t50000 = [];
  expect(findBlockerFaults(tasks(edges))).toEqual({ cycles: [], unknown: [] });
});

test('a circle is found exactly when there is one', () => {
  const graph = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
  forAll(200, graph, (lists) => {
    const { cycles } = findBlockerFaults(
      tasks(Object.fromEntries(lists.map((list, at) => [`n${at}`, list.map((to) => `n${to}`)]))),
    );
    // By taking away what waits for nothing, again and again, until nothing changes.
    const left = new Map(lists.map((list, at) => [at, new Set(list)]));
    for (let changed = true; changed; ) {
      changed = false;
      for (const [at, waits] of left) {
        if ([...waits].some((to) => left.has(to))) continue;
        left.delete(at);
        changed = true;
      }
    }
    expect(cycles.length > 0).toBe(left.size > 0);
    for (const cycle of cycles)
      for (const [at, name] of cycle.slice(0, -1).entries())
        expect(lists[Number(name.slice(1))]).toContain(Number(cycle[at + 1]!.slice(1)));
  });
});
