// The requests of the board, by the names of operations: what stands in a path stays one part of it, the rest is query or body.
import { expect, test } from 'vitest';
import { at, change } from '../../src/web/api/calls.ts';

test('an address is filled in; a hostile reference stays within its part, or is none', () => {
  expect(at('listPlans', {})).toBe('/api/plans');
  expect(at('listPlans', { status: undefined } as never)).toBe('/api/plans');
  expect(at('turnOutput', { turn: 'b1', limit: 4 })).toBe('/api/turns/b1/output?limit=4');
  expect(at('showPlan', { name: '../a/b?c#d %' })).toBe('/api/plans/..%2Fa%2Fb%3Fc%23d%20%25');
  for (const name of ['', '.', '..']) expect(() => at('showPlan', { name })).toThrow('no name');
});

test('a change has its method, and a body where there is nothing to say', () => {
  expect(change('editStep', { ref: 'One', index: 2, done: true })).toEqual({
    ...{ path: '/api/tasks/One/steps/2', method: 'PATCH' },
    body: { done: true },
  });
  expect(change('pause', { ref: 'One' }).body).toEqual({});
  expect(change('removePlan', { name: 'web' }).body).toBeNull();
});
