// What happened in the room, numbered and kept for a while: a reader that lost its connection goes on where it was, as long
// as the ring still holds that.
import type { EventBus, RoomEvent } from '../../core/events.ts';
import { snakeKeys } from '../../core/snake-keys.ts';

export interface FeedEvent {
  /** `<start of this server>-<number>`. */
  id: string;
  type: RoomEvent['type'];
  /** As `taskroom up --json` prints it: one JSON object. */
  data: string;
}

export interface EventFeed {
  /**
   * What came after the event with that id; null when the ring does not hold it any more, or another server gave it.
   * @param id null for nothing but what is to come
   */
  since(id: string | null): FeedEvent[] | null;
  /** Calls `reader` for each event to come until the returned function is called. */
  follow(reader: (event: FeedEvent) => void): () => void;
  /** Of the newest. */
  lastId(): string;
  close(): void;
}

/** How many events a reader may be behind and still go on. */
export const RING_SIZE = 2_000;
/** And of how much data, where events are long. */
const RING_CHARS = 4 * 1024 * 1024;

export function createEventFeed(events: EventBus, clock: { now(): number }, epoch: string): EventFeed {
  const ring: FeedEvent[] = [];
  const readers = new Set<(event: FeedEvent) => void>();
  let count = 0;
  let chars = 0;
  const unsubscribe = events.subscribe((event) => {
    const { type, ...rest } = event;
    const at = new Date(clock.now()).toISOString();
    const data = JSON.stringify({ at, type, ...(snakeKeys(rest) as object) });
    count += 1;
    const told: FeedEvent = { id: `${epoch}-${count}`, type, data };
    ring.push(told);
    chars += data.length;
    while (ring.length > RING_SIZE || chars > RING_CHARS) chars -= ring.shift()!.data.length;
    for (const reader of readers) reader(told);
  });
  return {
    since(id) {
      if (id === null) return [];
      const [, said, number] = /^([0-9a-z]+)-(\d{1,15})$/.exec(id) ?? [];
      const seen = Number(number);
      if (said !== epoch || seen > count || seen < count - ring.length) return null;
      return seen === count ? [] : ring.slice(seen - count);
    },
    follow(reader) {
      readers.add(reader);
      return () => void readers.delete(reader);
    },
    lastId: () => `${epoch}-${count}`,
    close: unsubscribe,
  };
}
