// Keeps the page in step with the room: events change what is known at once, and say what to look at again.
import { signal } from '@preact/signals';
import { type FeedState, followEvents } from '../api/event-feed.ts';
import { touch, touchAll } from './resource.ts';
import { keepRows, staleRows, takeEvents } from './task-rows.ts';
import { topicsOf, UNTOLD } from './topics.ts';

export const feedState = signal<FeedState>('connecting');
/** Ticks for everything that shows how long ago something was. */
export const now = signal(Date.now());

const UNTOLD_MS = 3_000;

/** @returns stops it */
export function goLive(): () => void {
  const stopRows = keepRows();
  const clock = setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
  const untold = setInterval(() => {
    if (!document.hidden) touch(UNTOLD);
  }, UNTOLD_MS);
  const stopFeed = followEvents({
    onEvents(events) {
      takeEvents(events);
      touch(new Set(events.flatMap(topicsOf)));
    },
    onReset() {
      staleRows();
      touchAll();
    },
    onState(state) {
      feedState.value = state;
    },
  });
  return () => {
    stopRows();
    stopFeed();
    clearInterval(clock);
    clearInterval(untold);
  };
}
