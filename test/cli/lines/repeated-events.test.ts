import { expect, test } from 'vitest';
import { createRepeatFilter } from '../../../src/cli/lines/event-lines.ts';
import type { RoomEvent } from '../../../src/core/events.ts';

const synced = (name: string, created = 0): RoomEvent => ({
  type: 'chore.finished',
  name,
  kind: 'mirror',
  message: '',
  counts: { created, skipped: 0, requests: 2 },
  tookMs: 1,
});
const idle: RoomEvent = { type: 'room.idle' };
const failed: RoomEvent = {
  type: 'chore.failed',
  name: 'web',
  kind: 'mirror',
  message: 'x',
  hint: null,
  retryAt: null,
};

/** Which of these events the log leaves out. */
function repeats(...events: RoomEvent[]): boolean[] {
  const isRepeat = createRepeatFilter();
  return events.map((event) => isRepeat(event, event.type !== 'chore.due'));
}

test('a sync that finds nothing new has a line once, until something else came of it', () => {
  const events = [
    synced('web'),
    synced('web'),
    synced('eng'),
    synced('web', 1),
    synced('web'),
    synced('web'),
  ];
  expect(repeats(...events)).toEqual([false, true, false, false, false, true]);
  expect(repeats(synced('web'), failed, synced('web'))).toEqual([false, false, false]);
});

test('idle is told again only after a line in between', () => {
  const due: RoomEvent = { type: 'chore.due', name: 'web', kind: 'mirror', reason: 'scheduled' };
  expect(repeats(idle, due, idle)).toEqual([false, false, true]);
  expect(repeats(synced('web'), idle, due, synced('web'), idle)).toEqual([false, false, false, true, true]);
  expect(repeats(idle, synced('web', 2), idle)).toEqual([false, false, false]);
});
