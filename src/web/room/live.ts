// Keeps the page in step with the room: events change what is known at once, and say what to look at again.
import { signal } from '@preact/signals';
import { type FeedState, followEvents } from '../api/event-feed.ts';
import { askAgain, askChangedAgain, askPolledAgain } from './queries.ts';
import { keepRows, staleRows, takeEvents } from './task-rows.ts';

export const feedState = signal<FeedState>('connecting');
/** Ticks for everything that shows how long ago something was. */
export const now = signal(Date.now());

const POLL_MS = 3_000;

export function goLive(): void {
  keepRows();
  const whileShown = (run: () => void, everyMs: number) =>
    setInterval(() => document.hidden || run(), everyMs);
  whileShown(() => {
    now.value = Date.now();
  }, 1_000);
  whileShown(askPolledAgain, POLL_MS);
  void followEvents({
    onEvents(events) {
      takeEvents(events);
      askChangedAgain(events);
    },
    onReset() {
      staleRows();
      askAgain();
    },
    onState(state) {
      feedState.value = state;
    },
  });
}
