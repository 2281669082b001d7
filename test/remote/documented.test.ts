// What commands and workers elsewhere send is what the API's document says: another address, field or value does not compile. Each
// `@ts-expect-error` is a failure of `tsc` once it does.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createApiCall, type createHttpWay } from '../../src/remote/http-way.ts';
import type { createRemoteOperations } from '../../src/remote/remote-operations.ts';

test('an address is filled in so that a reference stays one part of it; what is answered is what the document says', async () => {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ url: request.url, answers: [] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const call = createApiCall({ url: `http://127.0.0.1:${port}`, token: 'tskr_none' }, { fetch });
    const asked = { worker: 'w1111111', attempt: 0, first: 0, reports: [] };
    const said = await call('/api/turns/{turn}/reports', { turn: '../a/b?c#d' }, asked);
    expect(said).toEqual({ url: '/api/turns/..%2Fa%2Fb%3Fc%23d/reports', answers: [] });
    said.answers satisfies { kind: string }[];
    // @ts-expect-error the document knows no such answer
    expect(said.turns).toBeUndefined();
  } finally {
    server.close();
  }
});

/** Compiled, and never run. */
export function wrong(
  call: ReturnType<typeof createApiCall>,
  way: ReturnType<typeof createHttpWay>,
  tasks: ReturnType<typeof createRemoteOperations>,
): unknown[] {
  return [
    call('/api/turns/{turn}/claim', { turn: 'b1' }, { worker: 'w1', attempt: 0 }),
    // @ts-expect-error no such address
    call('/api/turn/{turn}/claim', { turn: 'b1' }, { worker: 'w1', attempt: 0 }),
    // @ts-expect-error one that is only looked at
    call('/api/status', {}, {}),
    // @ts-expect-error nothing stands in its braces
    call('/api/turns/{turn}/claim', {}, { worker: 'w1', attempt: 0 }),
    // @ts-expect-error a field that it does not take
    call('/api/turns/{turn}/claim', { turn: 'b1' }, { worker: 'w1', attempt: 0, colour: 'red' }),
    way.send('settle', { ref: 'One', wish: { conflict: 'c1', take: 'lost', version: 'v1' } }),
    // @ts-expect-error no such operation
    way.send('settled', { ref: 'One' }),
    // @ts-expect-error a field is missing
    way.send('link', { ref: 'One' }),
    // @ts-expect-error no such value
    way.send('settle', { ref: 'One', wish: { conflict: 'c1', take: 'mine', version: 'v1' } }),
    // @ts-expect-error a number where a text is
    way.send('show', { ref: 1 }),
    tasks.show('One'),
  ];
}
