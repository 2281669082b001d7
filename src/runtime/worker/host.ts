// The host of the room as a worker asks it: a host that was started anew hears of the worker before it is asked again, and no
// question waits longer than the host holds it.
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { createApiCall } from '../../remote/http-way.ts';
import { type CallAnswer, type CallInput, WORKER_CALLS, type WorkerCall } from '../worker-protocol.ts';

/** Asks as one worker, which every question names. */
export type Host = <Name extends WorkerCall>(
  name: Name,
  input: Omit<CallInput<Name>, 'worker'>,
  signal?: AbortSignal,
) => Promise<CallAnswer<Name>>;

export interface HostOptions {
  url: string;
  token: string;
  /** The worker's. */
  id: string;
  effects: Effects;
  /** The explicit word for a way that others can read. */
  withoutTls: boolean;
}

/** How long the host holds a question for news. */
export const WAIT_MS = 20_000;
/** A host that says nothing for so long is away. */
const ANSWER_MS = 15_000;
const OTHER_MS: Partial<Record<WorkerCall, number>> = { wait: WAIT_MS + ANSWER_MS, bye: 3_000 };

/** @throws RoomError `bad_input`, `refused` for an address across a network without TLS */
export function createHost({ url, token, id, effects, withoutTls }: HostOptions): Host {
  assertEncrypted(url, withoutTls);
  const call = createApiCall({ url, token }, effects);
  let hello: object | null = null;
  const post = <Answer>(name: WorkerCall, input: object, signal?: AbortSignal): Promise<Answer> => {
    const path = WORKER_CALLS[name].path.replace(':turn', '{turn}');
    const late = AbortSignal.timeout(OTHER_MS[name] ?? ANSWER_MS);
    return call({ method: 'post', path }, input, AbortSignal.any([late, ...(signal ? [signal] : [])]));
  };
  return async (name, input, signal) => {
    if (name === 'hello') {
      const greeting = await post<CallAnswer<typeof name>>(name, input);
      hello = input;
      return greeting;
    }
    const asked = { worker: id, ...input };
    try {
      return await post(name, asked, signal);
    } catch (error) {
      // A host that was started anew knows no workers yet.
      if (!isRoomError(error, 'not_found') || hello === null || name === 'bye') throw error;
      await post('hello', hello, signal);
      return post(name, asked, signal);
    }
  };
}

function assertEncrypted(url: string, withoutTls: boolean): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLoopback = /^127(\.\d{1,3}){3}$/.test(hostname) || ['localhost', '[::1]'].includes(hostname);
  if (protocol !== 'http:' || isLoopback || withoutTls) return;
  throw new RoomError(
    'refused',
    `${url} is not encrypted: whoever listens would read the token and the turns`,
    {
      hint: 'give an address with https, or say --without-tls where the network is your own',
    },
  );
}
