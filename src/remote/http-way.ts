// The way to a room's daemon on another machine: one request of its API at a time, with the token in a header and nowhere
// else. A failure there is the same RoomError here.
import { type ErrorCode, type Problem, RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import type { Actor } from '../operations/client.ts';
import type { HttpPlace } from '../operations/operation.ts';
import { PLACES } from '../operations/places.ts';
import { requestOf } from '../operations/request.ts';
import type { Send } from './remote-client.ts';
import { fromWireError } from './wire.ts';

interface HttpWayOptions {
  /** `http://host:port`, of the daemon. */
  url: string;
  token: string;
}

/**
 * Sends a request to the API, and resolves with its answer. Rejects with the RoomError that it failed with.
 * @param input what stands in the braces of the path, and all else it takes
 */
export type ApiCall = <Told>(
  place: HttpPlace,
  input: object,
  signal?: AbortSignal,
  actor?: Actor,
) => Promise<Told>;

/**
 * Carries one operation out, by its name. Rejects with the RoomError that it failed with: `interrupted` once the signal is
 * aborted, of which the daemon hears by the closed connection.
 * @throws RoomError `bad_input` for what is no address of a daemon
 */
export function createHttpSend(options: HttpWayOptions, effects: Pick<Effects, 'fetch'>): Send {
  const call = createApiCall(options, effects);
  return async (name, input, signal, actor) => {
    const place = PLACES[name];
    try {
      if (place === undefined)
        throw new RoomError('bad_input', `there is no operation ${JSON.stringify(name)}`);
      return await call(place, input, signal, actor);
    } catch (error) {
      if (!signal?.aborted) throw error;
      throw new RoomError('interrupted', `the ${name} was stopped`, { cause: error });
    }
  };
}

/** @throws RoomError `bad_input` for what is no address of a daemon */
export function createApiCall({ url, token }: HttpWayOptions, { fetch }: Pick<Effects, 'fetch'>): ApiCall {
  const origin = originOf(url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (place, input, signal, actor) => {
    const { headers: more, input: asked } = guardOf(place, input);
    // A program that acts for the person says so, and has an assistant's rights.
    const whose = actor?.kind === 'assistant' ? { 'x-taskroom-assistant': actor.client } : {};
    const { path, method, body } = requestOf(place, asked) ?? namesNothing(asked);
    // A token goes to the daemon that was named, and to no other.
    const request = {
      ...{ method, headers: { ...headers, ...whose, ...more } },
      redirect: 'error',
      ...(body === null ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    } as const;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${origin}${path}`, request);
      text = await response.text();
    } catch (error) {
      throw unreachable(origin, error);
    }
    const said = parse(text, origin);
    if (response.ok) return said as never;
    throw failureOf(said, response.status, origin);
  };
}

/** What is made on one text alone says so in a header, and is answered as the operation answers. */
function guardOf({ guard }: HttpPlace, input: object): { headers: Record<string, string>; input: object } {
  if (guard === undefined) return { headers: {}, input };
  const { [guard]: only, ...rest } = input as Record<string, unknown>;
  const headers = { 'if-match': typeof only === 'string' ? `"${only}"` : '*', prefer: 'return=minimal' };
  return { headers, input: rest };
}

function namesNothing(input: object): never {
  const given = Object.values(input).map((each) => JSON.stringify(each));
  throw new RoomError('not_found', `${given.join(', ')} names nothing`);
}

function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isFit =
    parsed !== null &&
    ['http:', 'https:'].includes(parsed.protocol) &&
    parsed.username === '' &&
    ['', '/'].includes(parsed.pathname) &&
    parsed.search === '';
  if (isFit) return parsed.origin;
  throw new RoomError('bad_input', 'that is no address of a daemon', {
    hint: 'give what taskroom up printed there: http://127.0.0.1:7420',
  });
}

/** Node's fetch sends a request again that was answered with 421, without its body, and fails so. */
const ANSWERED_421 = 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH';

function unreachable(origin: string, error: unknown): RoomError {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  const code = cause?.code;
  if (code === ANSWERED_421)
    return new RoomError('not_allowed', `the room at ${origin} is not called so`, {
      cause: error,
      hint: 'call it by the address it printed, or give this one there: taskroom up --name https://room.example',
    });
  const [message, hint] = aboutTls(origin, code ?? '') ?? [
    `can't reach ${origin}: ${code ?? cause?.message ?? (error instanceof Error ? error.message : String(error))}`,
    'see that taskroom up runs there, and that this machine may reach it',
  ];
  return new RoomError('unavailable', message, { cause: error, hint });
}

/** What OpenSSL's word for it means to a person, and what to do; null for what is not about TLS. */
function aboutTls(origin: string, code: string): [message: string, hint: string] | null {
  const certificate = `the certificate of ${origin}`;
  if (code === 'CERT_HAS_EXPIRED')
    return [`${certificate} has expired`, 'give taskroom up there a newer one'];
  if (code === 'CERT_NOT_YET_VALID')
    return [`${certificate} is not valid yet`, 'check the clocks of both machines'];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return [`${certificate} is for other names`, 'call it by a name that stands in there'];
  if (/SELF_SIGNED|^UNABLE_TO_|UNTRUSTED/.test(code))
    return [
      `${certificate} is of no authority that this machine trusts (${code})`,
      'name the file of its authority in NODE_EXTRA_CA_CERTS',
    ];
  if (!code.startsWith('ERR_SSL_')) return null;
  return [`${origin} speaks no TLS (${code})`, 'see the address that taskroom up printed'];
}

interface Said {
  code?: string;
  detail?: string;
  hint?: string;
  problems?: Problem[];
  retry_after_ms?: number;
}

function parse(text: string, origin: string): Said {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said === 'object' && said !== null) return said;
  } catch {
    // Told below.
  }
  throw new RoomError('unavailable', `what answers at ${origin} is no daemon of taskroom`, {
    hint: 'check --url, and any proxy in between',
  });
}

function failureOf(said: Said, status: number, origin: string): RoomError {
  const { code = 'bug', detail: message = `status ${status}`, hint, problems, retry_after_ms } = said;
  if (status === 401)
    return fromWireError({
      ...{ code: code as ErrorCode, message: `${origin} does not take this token` },
      hint: 'give another with --token or TASKROOM_TOKEN',
    });
  return fromWireError({
    ...{ code: code as ErrorCode, message },
    ...(hint !== undefined && { hint }),
    ...(problems !== undefined && { problems }),
    ...(retry_after_ms !== undefined && { retryAfterMs: retry_after_ms }),
  });
}
