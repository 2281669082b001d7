// Answers that are streams, as a connection takes them: whole, cut by their own fault, or left by their reader, of which
// nothing is printed.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { UnderlyingSource } from 'node:stream/web';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listenTcp, type TcpListener } from '../../src/server/listeners.ts';
import { serveRoom } from './served-room.ts';

const PRINTING = ['log', 'info', 'debug', 'warn', 'error'] as const;
let reported: unknown[];
let listener: TcpListener;

beforeEach(async () => {
  for (const name of PRINTING) vi.spyOn(console, name).mockImplementation(() => undefined);
  reported = [];
  listener = await listenTcp('127.0.0.1', 0, null, (error) => reported.push(error));
});
afterEach(async () => {
  const printed = PRINTING.flatMap((name) => vi.mocked(console[name]).mock.calls);
  vi.restoreAllMocks();
  await listener.close();
  expect(printed).toEqual([]);
});

/** Asks for what the listener answers with that stream. */
async function ask(source: UnderlyingSource<Uint8Array>): Promise<[ClientRequest, IncomingMessage]> {
  listener.answer(
    async () =>
      new Response(new ReadableStream(source), {
        headers: [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ],
      }),
  );
  const asked = request({ port: listener.port });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return [asked, answer];
}

test('a stream arrives whole, at the pace of its reader', async () => {
  const piece = new Uint8Array(64 * 1024).fill(120);
  let sent = 0;
  const [, answer] = await ask({
    pull(controller) {
      sent += 1;
      if (sent > 200) controller.close();
      else controller.enqueue(piece);
    },
  });
  expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  // Nobody reads yet: what waits is what buffers hold.
  answer.pause();
  let before = -1;
  await vi.waitFor(() => {
    const isStill = sent === before;
    before = sent;
    expect(isStill).toBe(true);
  });
  expect(sent).toBeLessThan(200);
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  expect([bytes, reported]).toEqual([200 * piece.length, []]);
});

test('events that are asked for as HEAD have no reader', async () => {
  const room = await serveRoom();
  onTestFinished(() => room.close());
  expect((await room.ask('HEAD', '/api/events')).status).toBe(200);
  expect((await room.ask('GET', '/metrics')).body as string).toMatch(/^taskroom_event_readers 0$/m);
});
