// The last events, numbered so that readers resume. Each is written once as an SSE (WHATWG HTML §9.2).
import { type EventBus, eventJson, type RoomEvent } from '../../core/events.ts';
import type { Effects, Timer } from '../../effects.ts';

export const BUFFER_SIZE = 2_000;
const BUFFER_BYTES = 4 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A reader that is further behind is dropped; it comes again with the last id it saw. */
const MAX_BEHIND_BYTES = 1024 * 1024;
const RETRY_MS = 1_000;

export type BufferedEvent = { type: RoomEvent['type']; bytes: Uint8Array };

interface StreamOptions {
  lastId: string | null; // Of the last event that the reader saw; null for a new reader.
  wants(type: string): boolean;
  signal: AbortSignal;
  onSlow(): void; // The reader is too slow and was dropped.
  onLeave(): void;
}

/** @param epoch part of each id; it tells ids of another server apart */
export function createEventBuffer(events: EventBus, effects: Pick<Effects, 'now'>, epoch: string) {
  const buffer: BufferedEvent[] = [];
  const readers = new Set<(event: BufferedEvent) => void>();
  let count = 0;
  let size = 0;
  let isReady = true;
  const lastId = () => `${epoch}-${count}`;
  const close = events.subscribe((event) => {
    const { type } = event;
    if (type === 'room.stopping') isReady = false;
    count += 1;
    const data = eventJson(event, effects.now());
    const bytes = encoder.encode(`id: ${lastId()}\nevent: ${type}\ndata: ${data}\n\n`);
    buffer.push({ type, bytes });
    size += bytes.length;
    while (buffer.length > BUFFER_SIZE || size > BUFFER_BYTES) size -= buffer.shift()!.bytes.length;
    for (const reader of readers) reader({ type, bytes });
  });

  /** The events after that id; null when the buffer does not hold it, or another server gave it. */
  function since(id: string | null): BufferedEvent[] | null {
    if (id === null) return [];
    const [, by, number] = /^([0-9a-z]+)-(\d{1,15})$/.exec(id) ?? [];
    const missed = count - Number(number);
    if (by !== epoch || missed < 0 || missed > buffer.length) return null;
    return missed === 0 ? [] : buffer.slice(-missed);
  }

  /** `isReady` is false once the room stops. */
  return { since, readers, lastId, isReady: () => isReady, close };
}

const encoder = new TextEncoder();

/** Begins with `event: reset` when events were missed: the reader reads everything again. */
export function streamEvents(
  { since, readers, lastId }: ReturnType<typeof createEventBuffer>,
  effects: Pick<Effects, 'setTimer'>,
  { lastId: from, wants, signal, onSlow, onLeave }: StreamOptions,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    let heartbeat: Timer | null = null;
    const send = (bytes: Uint8Array) => {
      controller.enqueue(bytes);
      heartbeat?.cancel();
      heartbeat = effects.setTimer(HEARTBEAT_MS, () => sendText(': still here\n\n'), true);
    };
    const sendText = (text: string) => send(encoder.encode(text));
    const read = ({ type, bytes }: BufferedEvent) => {
      if ((controller.desiredSize ?? 0) < 0) {
        left.abort();
        onSlow();
      } else if (wants(type)) send(bytes);
    };
    const end = () => {
      left.abort();
      controller.close();
    };
    left.signal.addEventListener('abort', () => {
      readers.delete(read);
      heartbeat?.cancel();
      signal.removeEventListener('abort', end);
      onLeave();
    });
    sendText(`retry: ${RETRY_MS}\n\n`);
    const missed = since(from);
    if (missed === null) sendText(`id: ${lastId()}\nevent: reset\ndata: {}\n\n`);
    for (const { type, bytes } of missed ?? []) if (wants(type)) send(bytes);
    readers.add(read);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  };
  return new ReadableStream<Uint8Array>(
    { start, cancel: () => left.abort() },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BEHIND_BYTES }),
  );
}
