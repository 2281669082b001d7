// Events as server-sent events (WHATWG HTML §9.2): each written once and handed to every reader, a heartbeat while nothing
// happens, and an end for a reader that does not read.
import type { Effects, Timer } from '../../effects.ts';
import type { EventFeed, FeedEvent } from '../room/feed.ts';

const HEARTBEAT_MS = 15_000;
/** What may wait for a reader; one that is further behind is dropped, and comes again with the last id it saw. */
const MAX_BEHIND_BYTES = 1024 * 1024;
const RETRY_MS = 1_000;

const encoder = new TextEncoder();
const written = new WeakMap<FeedEvent, Uint8Array>();

/** The bytes of an event, made once however many read it. */
function bytesOf(event: FeedEvent): Uint8Array {
  const known = written.get(event);
  if (known !== undefined) return known;
  const bytes = encoder.encode(`id: ${event.id}\nevent: ${event.type}\ndata: ${event.data}\n\n`);
  written.set(event, bytes);
  return bytes;
}

export interface StreamOptions {
  /** As the reader saw it last; null for a new reader. */
  lastId: string | null;
  /** Only events for which it says true. */
  wants(event: FeedEvent): boolean;
  signal: AbortSignal;
  /** It is too slow: nothing is kept for it any more. */
  onSlow(): void;
  /** Once, however it ends. */
  onLeave(): void;
}

/** `event: reset` comes first where events were missed: the reader looks at everything anew. */
export function streamEvents(
  feed: EventFeed,
  effects: Pick<Effects, 'setTimer'>,
  { lastId, wants, signal, onSlow, onLeave }: StreamOptions,
): ReadableStream<Uint8Array> {
  let close = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let heartbeat: Timer | null = null;
        let unfollow = () => {};
        let isLeft = false;
        const send = (bytes: Uint8Array) => {
          controller.enqueue(bytes);
          heartbeat?.cancel();
          heartbeat = effects.setTimer(HEARTBEAT_MS, () => send(encoder.encode(': still here\n\n')), true);
        };
        const leave = () => {
          if (isLeft) return;
          isLeft = true;
          onLeave();
          unfollow();
          heartbeat?.cancel();
          signal.removeEventListener('abort', end);
        };
        function drop(): void {
          leave();
          onSlow();
        }
        function end(): void {
          leave();
          controller.close();
        }
        close = leave;
        send(encoder.encode(`retry: ${RETRY_MS}\n\n`));
        const missed = feed.since(lastId);
        if (missed === null) send(encoder.encode(`id: ${feed.lastId()}\nevent: reset\ndata: {}\n\n`));
        for (const event of missed ?? []) if (wants(event)) send(bytesOf(event));
        unfollow = feed.follow((event) => {
          if ((controller.desiredSize ?? 0) < 0) drop();
          else if (wants(event)) send(bytesOf(event));
        });
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      },
      cancel: () => close(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BEHIND_BYTES }),
  );
}
