// Keeps the page in step with the room: each event says what is to be asked for again.
import { signal } from '@preact/signals';
import type { RoomEventJson } from '../api/calls.ts';
import { linesOf, send } from '../api/request.ts';
import { askAgain, askChangedAgain, keepRows, touchRows } from './queries.ts';

const AGAIN_MS = 2_000; // Until a lost connection is tried again.
export const eventsState = signal<'connecting' | 'live' | 'lost'>('connecting');
/** Ticks for everything that shows how long ago something was. */
export const now = signal(Date.now());

export function goLive(): void {
  keepRows();
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
  void followEvents();
}

/** Follows the events as long as the page is there. */
async function followEvents(): Promise<never> {
  for (;;) {
    try {
      for await (const lines of linesOf(await send('/api/events'))) takeLines(lines);
    } catch {
      // The server starts, the session is over, or nothing is there: all are tried again.
    }
    eventsState.value = 'lost';
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

const DATA = 'data: {"';

function takeLines(lines: readonly string[]): void {
  // Events were missed where the connection was lost, and where the server says so.
  if (eventsState.value === 'lost' || lines.includes('event: reset')) {
    touchRows();
    askAgain();
  }
  eventsState.value = 'live';
  const events = lines.filter((line) => line.startsWith(DATA));
  if (events.length === 0) return;
  touchRows();
  askChangedAgain(events.map((line) => (JSON.parse(line.slice(DATA.length - 2)) as RoomEventJson).type));
}
