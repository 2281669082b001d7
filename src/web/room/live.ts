// Keeps the page in step with the room: events change what is known at once, and say what to look at again.
import { signal } from '@preact/signals';
import { linesOf, send } from '../api/request.ts';
import type { RoomEventJson } from '../api/shapes.ts';
import { askAgain, askChangedAgain } from './queries.ts';
import { keepRows, staleRows, takeEvents } from './task-rows.ts';

// The room's events as they come, handed over in bundles: at most one bundle in `BUNDLE_MS`, in a frame of the screen, so
// that hundreds of events a second cost as many drawings as a person can see and no more.
const BUNDLE_MS = 120;
/** Until a lost connection is tried again. */
const AGAIN_MS = 2_000;

type FeedState = 'connecting' | 'live' | 'lost';

interface FeedHandlers {
  onEvents(events: readonly RoomEventJson[]): void;
  /** Events were missed: everything is to be looked at anew. */
  onReset(): void;
  onState(state: FeedState): void;
}

/** Follows the events as long as the page is there. */
async function followEvents({ onEvents, onReset, onState }: FeedHandlers): Promise<never> {
  const add = bundled(onEvents);
  for (let wasLost = false; ; wasLost = true) {
    try {
      const stream = linesOf(await send('/api/events'));
      const first = await stream.next();
      onState('live');
      if (wasLost) onReset();
      for (let lines = first.value; lines !== undefined; lines = (await stream.next()).value)
        for (const line of lines) {
          if (line === 'event: reset') onReset();
          else if (line.startsWith('data: {"')) add(JSON.parse(line.slice('data: '.length)));
        }
    } catch {
      // The server starts, the session is over, or nothing is there: all are tried again.
    }
    onState('lost');
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function bundled(onEvents: FeedHandlers['onEvents']): (event: RoomEventJson) => void {
  let waiting: RoomEventJson[] = [];
  let last = 0;
  const flush = () => {
    last = performance.now();
    const events = waiting;
    waiting = [];
    onEvents(events);
  };
  // A hidden page gets no frames; a timer runs there, if seldom.
  const flushSoon = () => (document.hidden ? flush() : requestAnimationFrame(flush));
  return (event) => {
    waiting.push(event);
    if (waiting.length === 1) setTimeout(flushSoon, Math.max(0, last + BUNDLE_MS - performance.now()));
  };
}

export const feedState = signal<FeedState>('connecting');
/** Ticks for everything that shows how long ago something was. */
export const now = signal(Date.now());

export function goLive(): void {
  keepRows();
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
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
