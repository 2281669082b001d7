// The addresses of the board's requests: what stands in a path stays one part of it, the rest is the query.
import { expect, test } from 'vitest';
import { at, change } from '../../../src/faces/web/api/calls.ts';

test('an address is filled in; a hostile reference stays within its part', () => {
  expect(at('/api/tasks')).toBe('/api/tasks');
  expect(at('/api/turns/{turn}/output', { turn: 'b1', limit: 4 })).toBe('/api/turns/b1/output?limit=4');
  expect(at('/api/tasks/{ref}', { ref: '../a/b?c#d %' })).toBe('/api/tasks/..%2Fa%2Fb%3Fc%23d%20%25');
});

test('a change has its method, and a body where there is nothing to say', () => {
  const step = { ref: 'One', index: 2 };
  const path = '/api/tasks/{ref}/steps/{index}';
  expect(change('patch', path, step, { done: true })).toEqual({
    path: '/api/tasks/One/steps/2',
    method: 'PATCH',
    body: { done: true },
  });
  expect(change('post', '/api/chores/{name}/run', { name: 'web' }).body).toEqual({});
});
