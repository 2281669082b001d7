// The webhooks of trackers while a room runs: a route of the API, and where room.yaml names a port, one of their own that serves
// nothing else, so that a tunnel to it exposes nothing else. What is not signed is refused, and memory is bounded.
import type { OpenRoom, Pulse, WebhookReceiver, WebhookRefusal } from '../app/open-room.ts';
import type { WebhookSource } from '../core/config/names.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { createRounds } from '../core/keyed-mutex.ts';
import type { Effects, Timer } from '../effects.ts';
import { listenTcp, type Report } from './listeners.ts';
import { inAddress } from './middleware/hosts.ts';

const AGAIN_MS = 30_000;

/** Listens as room.yaml says, again when that changes, and tries again when the port can't be had: that is trouble, and the room runs
 * on. Resolves after the first try. */
export async function serveWebhooks(
  { config, events }: Pick<OpenRoom, 'config' | 'events'>,
  { webhooks, note }: Pick<Pulse, 'webhooks' | 'note'>,
  effects: Effects,
): Promise<{ close(): Promise<void> }> {
  let listener: Listener | null = null;
  let settings = '';
  let again: Timer | null = null;
  let isClosed = false;

  async function apply(): Promise<void> {
    const { hooks } = config();
    const { port, host } = hooks;
    const wanted = isClosed || port === null ? '' : JSON.stringify(hooks);
    if (wanted === settings) return;
    again?.cancel();
    if (listener !== null) {
      await listener.close();
      webhooks.close();
      listener = null;
    }
    settings = wanted;
    if (wanted === '' || port === null) return note('webhooks', null);
    try {
      listener = await listen(webhooks, { host, port }, (error) => note('webhooks', asTrouble(error)));
      await webhooks.open(listener.address);
      note('webhooks', null);
    } catch (error) {
      if (!isRoomError(error)) throw error;
      note('webhooks', error);
      settings = '';
      again = effects.setTimer(AGAIN_MS, () => void look(), true);
    }
  }

  // Changes are applied one after another.
  const { ask: look } = createRounds(apply);
  const unsubscribe = events.subscribe(({ type }) => {
    if (type === 'config.reloaded') void look();
  });
  await look();
  return {
    async close() {
      isClosed = true;
      unsubscribe();
      again?.cancel();
      await look();
    },
  };
}

function asTrouble(error: unknown): RoomError {
  if (isRoomError(error)) return error;
  return new RoomError('bug', `a webhook could not be taken: ${String(error)}`, { cause: error });
}

export type Listener = Awaited<ReturnType<typeof listen>>;

// A tracker sends its few kilobytes at once, and waits ten seconds at most (Linear five). It does not try a refused connection again:
// a burst must fit.
const LIMITS = {
  ...{ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000 },
  ...{ maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 1_000, maxConnections: 4_096 },
  // A delivery that began is answered; one that never ends must not keep the room from ending.
  graceMs: 1_000,
};

/** @throws RoomError `unavailable` when the port can't be had */
export async function listen(
  receiver: WebhookReceiver,
  { host, port }: { host: string; port: number },
  onBug: Report,
) {
  const listener = await listenTcp(host, port, null, onBug, LIMITS).catch(({ message }: RoomError) => {
    const hint = 'set another hooks.port in room.yaml, or end what uses this one; it is tried again';
    throw new RoomError('unavailable', `webhooks: ${message}`, { hint });
  });
  listener.answer(async (request) => answerWebhook(receiver, request, onBug));
  /** `http://127.0.0.1:8787`. */
  const address = `http://${inAddress(host)}:${listener.port}`;
  return { address, close: listener.close };
}

/** The status and the words of each refusal; trackers show them in their list of deliveries. */
const REFUSED: Readonly<Record<WebhookRefusal, readonly [status: number, words: string]>> = {
  unsigned: [401, 'there is no signature: set the secret at the tracker'],
  wrong_signature: [401, 'the signature is wrong: the secret here is another one'],
  old: [401, 'it was signed too long ago, or the clocks differ by more than a minute'],
  malformed: [400, 'the body is not what a tracker sends'],
  not_json: [415, 'the content type is not application/json'],
  too_large: [413, 'the body is too large'],
  too_slow: [408, 'the body did not come'],
  too_many: [503, 'too much comes in at once'],
};

/** Answers `POST /hooks/<tracker>`; nothing else is there. @param onBug gets what is no refusal */
export async function answerWebhook(
  receiver: WebhookReceiver,
  request: Request,
  onBug: Report,
): Promise<Response> {
  const say = (status: number, words: string, more = {}) =>
    new Response(`${words}\n`, {
      status,
      headers: {
        ...{ 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
        // The rest of an unread body is not awaited.
        ...(status !== 200 && request.body !== null && { connection: 'close' }),
        ...more,
      },
    });
  const { pathname, search } = new URL(request.url);
  const named = search === '' ? /^\/hooks\/([a-z]+)$/.exec(pathname)?.[1] : undefined;
  const source = named === undefined ? null : receiver.sourceOf(named);
  if (source === null) return say(404, 'there is nothing here');
  if (request.method !== 'POST') return say(405, 'only POST', { allow: 'POST' });
  try {
    const refused = await take(receiver, source, request);
    return say(...(refused === null ? ([200, 'taken'] as const) : REFUSED[refused]));
  } catch (error) {
    onBug(error);
    return say(500, 'it could not be taken');
  }
}

async function take(receiver: WebhookReceiver, source: WebhookSource, request: Request) {
  const header = (name: string) => request.headers.get(name) || null;
  const isJson = /^application\/json\s*(;|$)/i.test(header('content-type') ?? '');
  const body = isJson && header('content-encoding') === null ? await readBody(request) : 'not_json';
  if (typeof body !== 'string') return receiver.receive(source, { header, body });
  receiver.refuse(source, body);
  return body;
}

/** Linear's own bound, many times an issue with its comment and their old texts. */
const MAX_BYTES = 5 * 2 ** 20;
const MAX_BYTES_TOGETHER = 64 * 2 ** 20; // All bodies that are read at the same time.

let held = 0;

/** The body of a delivery, or why it is refused. */
async function readBody({ headers, body }: Request): Promise<Buffer | WebhookRefusal> {
  if (Number(headers.get('content-length') ?? 0) > MAX_BYTES) return 'too_large';
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of body ?? []) {
      size += part.length;
      held += part.length;
      if (size > MAX_BYTES) return 'too_large';
      if (held > MAX_BYTES_TOGETHER) return 'too_many';
      parts.push(part);
    }
    return Buffer.concat(parts, size);
  } catch {
    // The connection broke, or the body did not come in time.
    return 'too_slow';
  } finally {
    held -= size;
  }
}
