// `fetch` over the unix socket of the daemon that runs on this machine: whatever certificate its address has, nobody else
// is asked.
import { request } from 'node:http';
import type { Effects } from '../effects.ts';

/** What an HttpWay over a socket is given as its address: the name by which the daemon answers there. */
export const SOCKET_URL = 'http://localhost';

/** Sends text bodies, and follows no redirect. Rejects as `request` does, and when the signal is aborted. */
export function createSocketFetch(socketPath: string): Effects['fetch'] {
  return (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(String(address));
      const options = {
        ...{ socketPath, path: pathname + search, method },
        headers: { ...(headers as Record<string, string>), host: 'localhost', connection: 'close' },
        ...(signal ? { signal } : {}),
      };
      const asked = request(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 500 })),
        );
      });
      asked.on('error', reject);
      asked.end(body as string | undefined);
    });
}
