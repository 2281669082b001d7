// The room as routes see it: the runtime, and what the server keeps between two requests.
import type { RoomApi } from '../../app/open-room.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { AnswerMcp, ServableRoom } from '../shapes/faces.ts';
import { createEventBuffer } from './event-buffer.ts';
import { createMetrics } from './metrics.ts';

export type HttpRoom = Awaited<ReturnType<typeof createHttpRoom>>['http'];

const FRESH_MS = 30_000;

/** @param report gets each bug */
export async function createHttpRoom(
  { runtime, effects, heard, workers, webhooks }: ServableRoom,
  programVersion: string,
  mcp: AnswerMcp,
  report: (error: unknown) => void,
) {
  const api: RoomApi = await runtime.api();
  const closing = new AbortController();
  // Typed by its global name: the emitted declaration can name no other.
  const signal: AbortSignal = closing.signal;
  const buffer = createEventBuffer(runtime.events, effects, Math.trunc(effects.now()).toString(36));
  const metrics = createMetrics(runtime);
  const open = createOpenRequests(api.tokens, effects);
  const http = {
    ...{ runtime, effects, programVersion, mcp, report, api, workers, webhooks },
    ...{ events: buffer, metrics, open },
    links: createLoginLinks(effects),
    listTags: new Map<string, { version: string; etag: string }>(),
    /** Changes whenever a list may have changed; every 30 s too, because retries and limits end without an event. */
    version: () => [api.version(), heard(), buffer.lastId(), Math.trunc(effects.now() / FRESH_MS)].join('.'),
    isReady: buffer.isReady,
    closing: signal,
  };
  const close = async () => {
    for (const part of [buffer, open, metrics]) part.close();
    closing.abort();
  };
  return { http, close };
}

const LINK_MS = 5 * 60_000;
const KEY_BYTES = 24;
const MAX_LINKS = 20; // One more link pushes out the oldest.

/** Login links: the key in the address works once, for five minutes, and gives a browser its session. */
function createLoginLinks(effects: Pick<Effects, 'now' | 'randomBytes'>) {
  const open = new Map<string, number>();
  const isGood = (key: string) => (open.get(key) ?? 0) > effects.now();
  return {
    isGood,
    create() {
      const key = Buffer.from(effects.randomBytes(KEY_BYTES)).toString('base64url');
      const expiresAt = effects.now() + LINK_MS;
      const [oldest] = open.keys();
      if (open.size >= MAX_LINKS && oldest !== undefined) open.delete(oldest);
      open.set(key, expiresAt);
      return { key, expiresAt };
    },
    take: (key: string): boolean => isGood(key) && open.delete(key), // True once for each key.
  };
}

export interface Connection {
  drop(): void; // Cuts the connection at once.
  onClose(told: () => void): void; // Calls `told` once the answer is sent or its reader is gone.
}

export type Handle = (request: Request, connection: Connection) => Promise<Response>;

const LOOK_MS = 500; // Another process may revoke a token.

/** Open requests by their tokens: those of a token that is revoked or expires are cut, streams and waits among them. */
function createOpenRequests(tokens: RoomApi['tokens'], effects: Effects) {
  const open = new Map<Connection, string>();
  let timer: Timer | null = null;
  const look = () => {
    try {
      const good = new Set(tokens.list().map(({ id }) => id));
      for (const [connection, id] of open) if (!good.has(id)) connection.drop();
    } catch {
      // The ledger can't be read at the moment.
    }
    timer = open.size === 0 ? null : effects.setTimer(LOOK_MS, look, true);
  };
  return {
    /** Until the connection closes. */
    add(tokenId: string, connection: Connection) {
      open.set(connection, tokenId);
      connection.onClose(() => void open.delete(connection));
      timer ??= effects.setTimer(LOOK_MS, look, true);
    },
    close: () => timer?.cancel(),
  };
}
