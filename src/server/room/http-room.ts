// The room as routes have it: the runtime that serves, and what the server keeps beside it between two requests.
import type { ApiToken, RoomApi } from '../../app/open-room.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { AnswerMcp, ServableRoom } from '../shapes/faces.ts';
import { createEventBuffer } from './event-buffer.ts';
import { createMetrics } from './metrics.ts';

export type HttpRoom = Awaited<ReturnType<typeof createHttpRoom>>['http'];

const FRESH_MS = 30_000;

/** @param report gets each error that is a bug */
export async function createHttpRoom(
  { runtime, effects, heard, workers }: ServableRoom,
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
  let isReady = true;
  const unsubscribe = runtime.events.subscribe(({ type }) => {
    if (type === 'room.stopping') isReady = false;
  });
  const http = {
    ...{ runtime, effects, programVersion, mcp, report, api, events: buffer, metrics, workers, open },
    links: createLoginLinks(effects),
    /** The ETag of a list as of a version of the room. */
    listTags: new Map<string, { version: string; etag: string }>(),
    /**
     * Changes whenever anything that a list shows may have changed. What waits for a time (a retry, a limit) shows without a
     * change.
     */
    version: () => [api.version(), heard(), buffer.lastId(), Math.trunc(effects.now() / FRESH_MS)].join('.'),
    /** The room is taken in and watched. */
    isReady: () => isReady,
    /** Aborted when the server closes. */
    closing: signal,
  };
  const close = async () => {
    unsubscribe();
    for (const part of [buffer, open, metrics]) part.close();
    closing.abort();
  };
  return { http, close };
}

const LINK_MS = 5 * 60_000;
const KEY_BYTES = 24;
/** A caller that asks for links for ever pushes out its own oldest. */
const MAX_LINKS = 20;

/** One-time links by which a browser gets its session: a key in an address that works once, for five minutes, and is no token. */
function createLoginLinks(effects: Pick<Effects, 'now' | 'randomBytes'>) {
  const open = new Map<string, number>();
  const isGood = (key: string) => (open.get(key) ?? 0) > effects.now();
  return {
    isGood,
    /** Returns the key of a new link, and until when it works, epoch ms. */
    create() {
      const key = Buffer.from(effects.randomBytes(KEY_BYTES)).toString('base64url');
      const expiresAt = effects.now() + LINK_MS;
      const [oldest] = open.keys();
      if (open.size >= MAX_LINKS && oldest !== undefined) open.delete(oldest);
      open.set(key, expiresAt);
      return { key, expiresAt };
    },
    /** True once for each key. */
    take: (key: string): boolean => isGood(key) && open.delete(key),
  };
}

/** What an answer goes out by. */
export interface Connection {
  /** Cuts it at once, whatever was still to be sent. */
  drop(): void;
  /** Calls `told` once the answer is sent or its reader is gone. */
  onClose(told: () => void): void;
}

/** Another process may revoke a token: a look at the ledger finds it. */
const LOOK_MS = 500;

/**
 * Requests whose answer is not sent yet, by their tokens: the connections of a token that is revoked or expires are cut, so that
 * neither a stream of events nor a wait for news goes on telling.
 */
function createOpenRequests(
  tokens: { list(): readonly Pick<ApiToken, 'id'>[] },
  effects: Pick<Effects, 'setTimer'>,
) {
  const open = new Map<Connection, string>();
  let timer: Timer | null = null;
  const look = () => {
    try {
      const good = new Set(tokens.list().map(({ id }) => id));
      for (const [connection, id] of open) if (!good.has(id)) connection.drop();
    } catch {
      // The ledger can't be read at the moment: the next look finds it.
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
