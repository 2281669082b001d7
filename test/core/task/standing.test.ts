import { expect, test } from 'vitest';
import { countStandings, STATUSES, standingOf, standingTexts } from '../../../src/core/task/status.ts';

const AT_REST = { running: null, waiting: false, paused: false };

test('a task counts as the first that it is: over, running, asking, paused, else its status', () => {
  const all = { running: 'b12345678', waiting: true, paused: true };
  for (const status of STATUSES) {
    const isOver = status === 'done' || status === 'canceled';
    expect(standingOf({ ...AT_REST, status })).toBe(status);
    expect(standingOf({ ...all, status })).toBe(isOver ? status : 'running');
    expect(standingOf({ ...all, running: null, status })).toBe(isOver ? status : 'waiting');
    expect(standingOf({ ...AT_REST, paused: true, status })).toBe(isOver ? status : 'paused');
  }
});

test('headers say each that there is, in one order', () => {
  const tasks = [
    { ...AT_REST, status: 'todo' as const },
    { ...AT_REST, status: 'doing' as const, waiting: true },
    { ...AT_REST, status: 'todo' as const, running: 'b12345678', paused: true },
    { ...AT_REST, status: 'todo' as const },
    { ...AT_REST, status: 'canceled' as const },
  ];
  const counts = countStandings(tasks);
  expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(tasks.length);
  expect(standingTexts(counts)).toEqual([
    ['running', '1 running'],
    ['waiting', '1 waits for you'],
    ['todo', '2 to do'],
  ]);
  expect(standingTexts({ ...counts, waiting: 2 })[1]).toEqual(['waiting', '2 wait for you']);
});
