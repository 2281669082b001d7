// The pace of many steps, and what is told of them.
import { expect, test } from 'vitest';
import { createEventBus } from '../../../src/core/events.ts';
import { createPace } from '../../../src/effects.ts';
import { createSteps } from '../../../src/tasks/bulk/carry-out-bulk.ts';

test('each hundred steps are told', async () => {
  const events = createEventBus(() => undefined);
  const told: unknown[] = [];
  events.subscribe((event) => told.push(event));
  const step = createSteps({ effects: { monotonicMs: () => 0 }, events } as never, 'writing', 250);
  for (let at = 0; at < 250; at += 1) await step();
  const progress = { type: 'bulk.progress', phase: 'writing', total: 250 };
  expect(told).toEqual([
    { ...progress, done: 100 },
    { ...progress, done: 200 },
  ]);
});

test('steps that wait at the same time go on in their order, a few in each turn of the event loop', async () => {
  let nowMs = 0;
  const pace = createPace({ monotonicMs: () => nowMs });
  nowMs = 100;
  const log: (number | 'others')[] = [];
  const steps = [1, 2, 3, 4, 5, 6].map(async (step) => {
    await pace();
    log.push(step);
    nowMs += 10;
  });
  const others = () => {
    log.push('others');
    waiting = setImmediate(others);
  };
  let waiting = setImmediate(others);
  await Promise.all(steps);
  clearImmediate(waiting);
  expect(log).toEqual(['others', 1, 2, 'others', 3, 4, 'others', 5, 6]);
});
