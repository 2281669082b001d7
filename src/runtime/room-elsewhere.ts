// A room over its daemon: on another machine, or on this one by its unix socket, where whatever certificate its address has,
// nobody else is asked.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import { createApiCall, createHttpWay } from '../remote/http-way.ts';
import { createRemoteClient } from '../remote/remote-client.ts';
import { createSocketFetch, SOCKET_URL } from '../remote/socket-fetch.ts';
import type { RoomClient } from '../runtime.ts';
import { openRoom, type Room } from '../store/room.ts';

export interface Elsewhere {
  url: string;
  token: string;
}

/** @throws RoomError `bad_input` for what is no address of a daemon */
export function openRoomElsewhere(where: Elsewhere, effects: Effects): RoomClient {
  return {
    tasks: createRemoteClient(createHttpWay(where, effects).send),
    caller: { kind: 'person' },
    here: null,
    close: async () => {},
  };
}

const PATIENCE_MS = 10_000;

interface DaemonHere {
  /** Of its API for browsers; null where it serves none. */
  url: string | null;
  /** By which a proxy in front is called. */
  outside?: string | null;
  socket: string;
  token: string;
}

/** @throws RoomError `unavailable` */
function readDaemonHere({ ownDir }: Room): DaemonHere {
  const where = readAddress(join(ownDir, 'api.json'));
  if (where === null || !existsSync(where.socket))
    throw new RoomError('unavailable', 'no daemon of this room answers', { hint: 'start it: taskroom up' });
  const token = readText(join(ownDir, 'token'));
  if (token !== null) return { ...where, token: token.trim() };
  throw new RoomError('unavailable', 'the token of this room is gone', {
    hint: 'the next start makes another: taskroom stop, taskroom up',
  });
}

/** The room over the daemon that runs it on this machine. @throws RoomError `no_room`, `unavailable` */
export function openRoomOfDaemonHere(dir: string, effects: Effects): RoomClient {
  const { socket, token } = readDaemonHere(openRoom(dir));
  return openRoomElsewhere({ url: SOCKET_URL, token }, { ...effects, fetch: createSocketFetch(socket) });
}

/** A one-time link into a browser, under the addresses by which the daemon is known here and elsewhere. */
export interface BoardLink {
  /** Works once. */
  url: string;
  /** The same for a browser on another machine. */
  elsewhere: string;
  expires_at: string;
}

/**
 * @param where a daemon elsewhere, or the room here
 * @throws RoomError `unavailable` without a daemon, `refused` where it serves no address
 */
export async function askForLink(where: Elsewhere | Room, effects: Effects): Promise<BoardLink> {
  if ('url' in where) return linkAt(where.url, null, await createApiCall(where, effects)(LINKS, {}));
  const { url, outside = null, socket, token } = readDaemonHere(where);
  if (url === null)
    throw new RoomError('refused', 'the daemon of this room has no address a browser could open', {
      hint: 'start it without --no-http: taskroom up',
    });
  const ask = createApiCall({ url: SOCKET_URL, token }, { fetch: createSocketFetch(socket) });
  return linkAt(url, outside, await ask(LINKS, {}, AbortSignal.timeout(PATIENCE_MS)));
}

const LINKS = { method: 'post', path: '/api/links' } as const;

/** @param outside by which a proxy in front is called; null for none */
function linkAt(
  address: string,
  outside: string | null,
  { url, expires_at }: { url: string; expires_at: string },
): BoardLink {
  const key = new URL(url).searchParams.get('key') ?? '';
  const at = (where: string) => `${new URL(where).origin}/open?key=${key}`;
  return { url: at(address), elsewhere: at(outside ?? address), expires_at };
}

function readAddress(path: string): Omit<DaemonHere, 'token'> | null {
  try {
    return JSON.parse(readText(path) ?? 'null');
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
