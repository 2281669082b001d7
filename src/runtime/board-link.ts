// What is asked of the daemon that runs here, over its unix socket: whatever certificate its address has, nobody else is asked.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { type BoardLink, linkAt } from '../remote/board-link.ts';
import { createHttpWay } from '../remote/http-way.ts';
import { createSocketFetch, SOCKET_URL } from '../remote/socket-fetch.ts';
import type { Room } from '../store/room.ts';

const PATIENCE_MS = 10_000;

interface DaemonHere {
  /** Of its API for browsers; null where it serves none. */
  url: string | null;
  /** By which a proxy in front is called. */
  outside?: string | null;
  socket: string;
  token: string;
}

/** Where the daemon of this room answers on this machine. @throws RoomError `unavailable` */
export function readDaemonHere({ ownDir }: Pick<Room, 'ownDir'>): DaemonHere {
  const where = readAddress(join(ownDir, 'api.json'));
  if (where === null || !existsSync(where.socket))
    throw new RoomError('unavailable', 'no daemon of this room answers', { hint: 'start it: taskroom up' });
  const token = readText(join(ownDir, 'token'));
  if (token !== null) return { ...where, token: token.trim() };
  throw new RoomError('unavailable', 'the token of this room is gone', {
    hint: 'the next start makes another: taskroom stop, taskroom up',
  });
}

/** A one-time link into a browser. @throws RoomError `unavailable` without a daemon, `refused` where it serves no address */
export async function askForLink(room: Room): Promise<BoardLink> {
  const { url, outside = null, socket, token } = readDaemonHere(room);
  if (url === null)
    throw new RoomError('refused', 'the daemon of this room has no address a browser could open', {
      hint: 'start it without --no-http: taskroom up',
    });
  const way = createHttpWay({ url: SOCKET_URL, token }, { fetch: createSocketFetch(socket) });
  const place = { method: 'post', path: '/api/links' } as const;
  return linkAt(url, outside, await way.call(place, {}, AbortSignal.timeout(PATIENCE_MS)));
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
