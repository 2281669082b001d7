// What a daemon on another machine tells of what happens: server-sent events over its address, followed until they end or
// fall silent, and again when it is asked to connect.
import type { Effects, Timer } from '../../../effects.ts';
import type { DaemonLink, LinkHandlers } from './daemon-link.ts';

/** The daemon says something every 15 s. */
const SILENCE_MS = 45_000;

export function createFarLink(
  { url, token }: { url: string; token: string },
  effects: Effects,
  handlers: Pick<LinkHandlers, 'onConnected' | 'onLost' | 'onEvent'>,
): DaemonLink {
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
      const response = await effects.fetch(new URL('/api/events', url).href, {
        ...{ redirect: 'error', signal: stop.signal },
        headers: { authorization: `Bearer ${token}` },
      });
      if (!response.ok || response.body === null || isClosed) return;
      isConnected = true;
      handlers.onConnected();
      for await (const line of linesOf(response.body, awake))
        if (line.startsWith('data: ')) handlers.onEvent(() => null);
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

async function* linesOf(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    onBytes();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
