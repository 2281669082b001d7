// When a room says that its queue can't be asked.
import { afterEach, expect, test } from 'vitest';
import { watchTrouble } from '../../../../src/app/workers/host/dispatcher.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const AWAY = new Error('connection refused');
let isAway = true;
const noted: unknown[] = [];
const clock = createManualClock();
const ping = async () => {
  if (isAway) throw AWAY;
};
const { note, close } = watchTrouble(clock, ping, (error) => noted.push(error));
afterEach(close);

test('trouble lasts until the queue answers; a look that began before that and fails later notes nothing', async () => {
  const began = clock.monotonicMs();
  note(AWAY);
  clock.advance(2_000);
  await Promise.resolve();
  expect(noted.at(-1)).toBe(AWAY);
  isAway = false;
  await new Promise(setImmediate);
  clock.advance(2_000);
  await new Promise(setImmediate);
  expect(noted.at(-1)).toBeNull();
  const count = noted.length;
  note(AWAY, clock.monotonicMs() - began);
  expect(noted).toHaveLength(count);
  clock.advance(1);
  note(AWAY);
  expect(noted.at(-1)).toBe(AWAY);
});
