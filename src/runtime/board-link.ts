// A one-time link into a browser, asked of the daemon that runs here. Over its unix socket: whatever certificate its
// address has, nobody else is asked.
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { type BoardLink, linkAt } from '../remote/board-link.ts';
import type { Room } from '../store/room.ts';

const PATIENCE_MS = 10_000;

/** @throws RoomError `unavailable` without a daemon, `refused` where it serves no address */
export async function askForLink(room: Room): Promise<BoardLink> {
  const where = readAddress(join(room.ownDir, 'api.json'));
  if (where === null || !existsSync(where.socket))
    throw new RoomError('unavailable', 'no daemon of this room answers', { hint: 'start it: taskroom up' });
  if (where.url === null)
    throw new RoomError('refused', 'the daemon of this room has no address a browser could open', {
      hint: 'start it without --no-http: taskroom up',
    });
  const token = readText(join(room.ownDir, 'token'));
  if (token === null)
    throw new RoomError('unavailable', 'the token of this room is gone', {
      hint: 'the next start makes another: taskroom stop, taskroom up',
    });
  const said = await post(where.socket, '/api/links', token.trim());
  return linkAt(where.url, where.outside ?? null, said);
}

function readAddress(path: string): { url: string | null; outside?: string | null; socket: string } | null {
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

function post(socketPath: string, path: string, token: string): Promise<{ url: string; expires_at: string }> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new RoomError('unavailable', `the daemon of this room gave no link: ${why}`, {
          hint: 'see: taskroom status',
        }),
      );
    const headers = { authorization: `Bearer ${token}`, host: 'localhost', connection: 'close' };
    const asked = request({ socketPath, path, method: 'POST', headers, timeout: PATIENCE_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        if (answer.statusCode === 201) resolve(JSON.parse(text));
        else
          fail(
            answer.statusCode === 401 ? 'it does not take .taskroom/token' : `status ${answer.statusCode}`,
          );
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', ({ message }) => fail(message));
    asked.end();
  });
}
