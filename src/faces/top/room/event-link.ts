// What a daemon tells of what happens: server-sent events, over the unix socket of its API beside the room and over its address from
// another machine, followed until they end or fall silent, and again when it is asked to connect.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Effects, Timer } from '../../../effects.ts';

export type EventLink = ReturnType<typeof createEventLink>;

interface LinkHandlers {
  onConnected(): void;
  onLost(): void;
  /** @param nameOf reads the name of the task or chore that it is about; null where it is about none */
  onEvent(nameOf: () => string | null): void;
}

/** Opens the stream; null where no daemon answers with one. It ends with the signal. */
export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array> | null>;

/** The daemon says something every 15 s. */
const SILENCE_MS = 45_000;

export function createEventLink(effects: Effects, open: OpenStream, handlers: LinkHandlers) {
  let asked: AbortController | null = null;
  let isClosed = false;
  async function follow(stop: AbortController): Promise<void> {
    let isConnected = false;
    let timer: Timer | null = null;
    const awake = () => {
      timer?.cancel();
      timer = effects.setTimer(SILENCE_MS, () => stop.abort(), true);
    };
    try {
      awake();
      const stream = await open(stop.signal);
      if (stream === null || isClosed) return;
      isConnected = true;
      handlers.onConnected();
      for await (const line of linesOf(stream, awake))
        if (line.startsWith('data: ')) handlers.onEvent(() => nameIn(line.slice('data: '.length)));
    } catch {
      // It can't be reached, or not any more: whoever asks to connect finds out when it can.
    } finally {
      (timer as Timer | null)?.cancel();
      stop.abort();
      asked = null;
      if (isConnected && !isClosed) handlers.onLost();
    }
  }
  return {
    /** Tries to reach the daemon; nothing where it is reached already, or being tried. */
    connect() {
      if (asked !== null || isClosed) return;
      asked = new AbortController();
      void follow(asked);
    },
    close() {
      isClosed = true;
      asked?.abort();
    },
  };
}

async function* linesOf(stream: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    onBytes();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function nameIn(data: string): string | null {
  const { name } = JSON.parse(data) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}

/** From the daemon that runs the room here, with the person's token. @param ownDir the room's `.taskroom` */
export function openHere(ownDir: string): OpenStream {
  return (signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<Uint8Array> | null>();
    const { socket } = JSON.parse(readFileSync(join(ownDir, 'api.json'), 'utf8')) as { socket: string };
    const token = readFileSync(join(ownDir, 'token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
    const asked = request({ socketPath: socket, path: '/api/events', headers, signal }, (response) =>
      resolve(response.statusCode === 200 ? response : null),
    );
    asked.on('error', reject);
    asked.end();
    return promise;
  };
}

/** From a daemon on another machine. */
export function openFar({ url, token }: { url: string; token: string }, effects: Effects): OpenStream {
  return async (signal) => {
    const headers = { authorization: `Bearer ${token}` };
    const options = { redirect: 'error', signal, headers } as const;
    const { ok, body } = await effects.fetch(new URL('/api/events', url).href, options);
    return ok ? body : null;
  };
}
