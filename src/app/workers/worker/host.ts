// The host of the room as a worker calls it. A host that restarted is greeted again before the call is repeated.
import { isRoomError, RoomError } from '../../../core/errors.ts';
import { isLoopback } from '../../../core/loopback.ts';
import { type Effects, sleep } from '../../../effects.ts';
import { createApiCall } from '../../../remote/http-way.ts';
import { type CallAnswer, type CallInput, WORKER_CALLS, type WorkerCall } from '../../worker-protocol.ts';

export type Host = <Name extends WorkerCall>(
  name: Name,
  input: Omit<CallInput<Name>, 'worker'>,
  signal?: AbortSignal,
) => Promise<CallAnswer<Name>>;

export interface HostOptions {
  url: string;
  token: string;
  id: string; // The worker's.
  effects: Effects;
  withoutTls: boolean;
}

/** The host holds a request for news so long. */
export const WAIT_MS = 20_000;
const ANSWER_MS = 15_000;
const OTHER_MS: Partial<Record<WorkerCall, number>> = { wait: WAIT_MS + ANSWER_MS, bye: 3_000 };

/** @throws RoomError `bad_input`, `refused` for an address across a network without TLS */
export function createHost({ url, token, id, effects, withoutTls }: HostOptions): Host {
  assertEncrypted(url, withoutTls);
  const call = createApiCall({ url, token }, effects);
  let hello: object | null = null;
  const post = (name: WorkerCall, input: object, signal?: AbortSignal): Promise<never> => {
    const path = WORKER_CALLS[name].path.replace(':turn', '{turn}');
    const late = AbortSignal.timeout(OTHER_MS[name] ?? ANSWER_MS);
    return call({ method: 'post', path }, input, AbortSignal.any([late, ...(signal ? [signal] : [])]));
  };
  return async (name, input, signal) => {
    const asked = name === 'hello' ? input : { worker: id, ...input };
    try {
      const answer = await post(name, asked, signal);
      if (name === 'hello') hello = input;
      return answer;
    } catch (error) {
      if (!isRoomError(error, 'not_found') || hello === null || ['hello', 'bye'].includes(name)) throw error;
      await post('hello', hello, signal);
      return post(name, asked, signal);
    }
  };
}

function assertEncrypted(url: string, withoutTls: boolean): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol !== 'http:' || isLoopback(hostname) || withoutTls) return;
  const why = `${url} is not encrypted: whoever listens would read the token and the turns`;
  const hint = 'give an address with https, or say --without-tls where the network is your own';
  throw new RoomError('refused', why, { hint });
}

/** Each wait between tries is twice the one before, up to `longestMs`. */
export function createBackoff(effects: Effects, firstMs: number, longestMs: number) {
  let restMs = firstMs;
  return {
    async rest(signal: AbortSignal): Promise<void> {
      await sleep(effects, restMs, signal);
      restMs = Math.min(restMs * 2, longestMs);
    },
    reset() {
      restMs = firstMs;
    },
  };
}

/** Tries until it works; null when `signal` aborts first. @param passes whether it may work later; else the failure is thrown */
export async function untilItWorks<T>(
  { effects, signal }: { effects: Effects; signal: AbortSignal },
  [firstMs, longestMs]: readonly [number, number],
  work: () => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T | null> {
  const backoff = createBackoff(effects, firstMs, longestMs);
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      if (!passes(error)) throw error;
      await backoff.rest(signal);
    }
  }
  return null;
}

export function messageOf(error: unknown): string {
  if (error instanceof RoomError)
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
