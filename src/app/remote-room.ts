// A room over its daemon: on another machine, or on this one by its unix socket.
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { RoomError, valueOr } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import { createApiCall, createHttpSend, type RemoteDaemon } from '../remote/http-way.ts';
import { createRemoteClient } from '../remote/remote-client.ts';
import { openRoom, type Room } from '../store/room.ts';
import type { RoomClient } from './open-room.ts';

/** @throws RoomError `bad_input` for what is no address of a daemon */
export const openRemoteRoom = (where: RemoteDaemon, effects: Pick<Effects, 'fetch'>): RoomClient => ({
  tasks: createRemoteClient(createHttpSend(where, effects)),
  caller: { kind: 'person' },
  here: null,
  close: async () => {},
});

interface DaemonHere {
  url: string | null; // Of its API for browsers; null where it serves none.
  outside?: string | null; // The address of a proxy in front of it.
  socket: string;
}

/** How the daemon that runs this room is reached. @throws RoomError `unavailable` */
export function findDaemonHere({ ownDir }: Pick<Room, 'ownDir'>) {
  const where: DaemonHere | null = valueOr(null, () =>
    JSON.parse(readFileSync(join(ownDir, 'api.json'), 'utf8')),
  );
  if (where === null || !existsSync(where.socket))
    throw new RoomError('unavailable', 'no daemon of this room answers', { hint: 'start it: taskroom up' });
  const token = valueOr(null, () => readFileSync(join(ownDir, 'token'), 'utf8'));
  const hint = 'the next start makes another: taskroom stop, taskroom up';
  if (token === null) throw new RoomError('unavailable', 'the token of this room is gone', hint);
  const over = { url: 'http://localhost', token: token.trim() };
  return { ...where, over, effects: { fetch: createSocketFetch(where.socket) } };
}

/** The room over the daemon that runs it on this machine. @throws RoomError `no_room`, `unavailable` */
export function openRoomOfDaemonHere(dir: string): RoomClient {
  const { over, effects } = findDaemonHere(openRoom(dir));
  return openRemoteRoom(over, effects);
}

/** A link into a browser, which works once. */
export interface BoardLink {
  url: string;
  remote: string; // For a browser on another machine.
  expires_at: string;
}

/** @param where a daemon elsewhere, or the room here @throws RoomError `unavailable` without a daemon, `refused` where it serves no address */
export async function askForLink(where: RemoteDaemon | Room, effects: Effects): Promise<BoardLink> {
  if ('url' in where) return linkAt(await createApiCall(where, effects)(LINKS, {}), where.url);
  const { url, outside = null, over, effects: here } = findDaemonHere(where);
  const hint = 'start it without --no-http: taskroom up';
  if (url === null)
    throw new RoomError('refused', 'the daemon of this room has no address a browser could open', hint);
  const made = await createApiCall(over, here)<Made>(LINKS, {}, AbortSignal.timeout(10_000));
  return linkAt(made, url, outside ?? url);
}

const LINKS = { method: 'post', path: '/api/links' } as const;

type Made = Pick<BoardLink, 'url' | 'expires_at'>;

function linkAt({ url, expires_at }: Made, here: string, remote = here): BoardLink {
  const key = new URL(url).searchParams.get('key') ?? '';
  const at = (where: string) => `${new URL(where).origin}/open?key=${key}`;
  return { url: at(here), remote: at(remote), expires_at };
}

/** `fetch` over a unix socket. Sends text bodies, and follows no redirect. */
function createSocketFetch(socketPath: string): Effects['fetch'] {
  return (address, { method = 'GET', headers, body, signal } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { pathname, search } = new URL(String(address));
    const options = {
      ...{ socketPath, path: pathname + search, method, ...(signal && { signal }) },
      headers: { ...(headers as Record<string, string>), host: 'localhost', connection: 'close' },
    };
    const asked = request(options, (answer) => {
      const status = answer.statusCode ?? 500;
      const isEmpty = [204, 304].includes(status);
      if (isEmpty) answer.resume();
      resolve(new Response(isEmpty ? null : (Readable.toWeb(answer) as never), { status }));
    });
    asked.on('error', reject);
    asked.end(body as string | undefined);
    return promise;
  };
}
