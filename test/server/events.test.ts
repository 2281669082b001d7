// Events over HTTP: in order, taken up again where a reader left off, and nobody waits for one who does not read.
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RoomEvent } from '../../src/core/events.ts';
import { BUFFER_SIZE } from '../../src/server/room/event-buffer.ts';
import { type ServedRoom, serveRoom } from './served-room.ts';

let room: ServedRoom;
beforeEach(async () => {
  room = await serveRoom();
});
afterEach(() => room.close());

type Seen = { id: string; event: string; data: Record<string, unknown> };

async function read(query = '', lastId?: string) {
  const response = await fetch(`${room.url}/api/events${query}`, {
    headers: {
      authorization: `Bearer ${room.token}`,
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const blocks: Seen[] = [];
  return {
    /** The next so many events. */
    async take(count: number) {
      while (blocks.length < count) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`it ended after ${blocks.length} events`);
        text += value;
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        blocks.push(...parts.flatMap(parse));
      }
      return blocks.splice(0, count);
    },
    leave: () => reader.cancel(),
  };
}

function parse(block: string): Seen[] {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
  return fields.data === undefined
    ? []
    : [{ id: fields.id, event: fields.event, data: JSON.parse(fields.data) }];
}

const trouble = (message: string): RoomEvent => ({ type: 'room.trouble', message, hint: null });
const emit = (message: string) => room.runtime.events.emit(trouble(message));
const messages = (seen: readonly Seen[]) => seen.map(({ data }) => data.message);

test('what happens is told as up --json tells it', async () => {
  const reader = await read();
  emit('disk full');
  room.runtime.events.emit({
    type: 'task.seen',
    id: 'one11111' as never,
    name: 'One',
    path: 'tasks/One.md',
    status: 'todo',
  });
  const [first, second] = await reader.take(2);
  expect(first).toMatchObject({
    event: 'room.trouble',
    data: { type: 'room.trouble', message: 'disk full', hint: null },
  });
  expect(first!.data.at).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(second).toMatchObject({ event: 'task.seen', data: { name: 'One', status: 'todo' } });
  await reader.leave();
});

test('a reader goes on after the event it saw last', async () => {
  const first = await read();
  for (const name of ['a', 'b', 'c']) emit(name);
  const [seen] = await first.take(1);
  await first.leave();
  emit('d');
  const again = await read('', seen!.id);
  emit('e');
  expect(messages(await again.take(4))).toEqual(['b', 'c', 'd', 'e']);
  await again.leave();
});

test.each([
  ['it is too old', (last: string) => last],
  ['another daemon gave it', () => 'zzzz-3'],
  ['it is none', () => 'hello'],
  ['it is of a time to come', (last: string) => last.replace(/\d+$/, '999999')],
])('a reader whose last event is not held is told to look anew: %s', async (_why, idOf) => {
  const first = await read();
  emit('seen');
  const [seen] = await first.take(1);
  await first.leave();
  for (let count = 0; count <= BUFFER_SIZE; count += 1) emit(`${count}`);
  const again = await read('', idOf(seen!.id));
  emit('new');
  const [reset, next] = await again.take(2);
  expect([reset!.event, next!.data.message]).toEqual(['reset', 'new']);
  // The id of the reset is one to go on from.
  await again.leave();
  const third = await read('', reset!.id);
  expect(messages(await third.take(1))).toEqual(['new']);
  await third.leave();
});

test('only the types that are asked for', async () => {
  const reader = await read('?types=room.trouble,task.*');
  room.runtime.events.emit({ type: 'room.idle' });
  emit('told');
  expect(messages(await reader.take(1))).toEqual(['told']);
  await reader.leave();
});

test('a reader that does not read is dropped, and the others miss nothing', async () => {
  const good = await read();
  const lazy = connect(room.port, '127.0.0.1');
  const closed = new Promise<void>((resolve) =>
    lazy.on('close', () => resolve()).on('error', () => undefined),
  );
  const head = `GET /api/events HTTP/1.1\r\nhost: 127.0.0.1:${room.port}\r\nauthorization: Bearer ${room.token}\r\n\r\n`;
  await new Promise<void>((resolve) =>
    lazy.write(head, () => lazy.once('data', () => resolve(lazy.pause() as never))),
  );
  const long = 'x'.repeat(20_000);
  const wanted = 1_000;
  for (let sent = 0; sent < wanted; ) {
    for (let burst = 0; burst < 20; burst += 1, sent += 1) emit(`${sent} ${long}`);
    // Every burst is read before the next, so that the good one is never behind.
    const seen = await good.take(20);
    expect(messages(seen).map((text) => Number(String(text).split(' ')[0]))).toEqual(
      Array.from({ length: 20 }, (_, at) => sent - 20 + at),
    );
  }
  const figures = (await room.ask('GET', '/metrics')).body as string;
  expect(figures).toContain('taskroom_event_readers_dropped_total 1');
  expect(figures).toContain('taskroom_event_readers 1');
  lazy.resume();
  await closed;
  await good.leave();
});

test('readers are let go when the room stops', async () => {
  const reader = await read();
  const ended = reader.take(1).catch((error: Error) => error.message);
  const other = await serveRoom();
  await room.close();
  expect(await ended).toBe('it ended after 0 events');
  room = other;
});
