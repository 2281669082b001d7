// Calls the API of a daemon on another machine, with the token in a header and nowhere else. A failure is the same RoomError here.
import { type ErrorCode, type Problem, RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import type { Actor } from '../operations/client.ts';
import type { HttpPlace } from '../operations/operation.ts';
import { PLACES } from '../operations/places.ts';
import { requestOf } from '../operations/request.ts';
import { fromErrorRecord } from './protocol.ts';
import type { Send } from './remote-client.ts';

export interface RemoteDaemon {
  url: string; // `http://host:port`.
  token: string;
}

/** Sends a request to the API, and resolves with its answer. Rejects with the RoomError that it failed with.
 * @param input what stands in the braces of the path, and all else it takes */
export type ApiCall = <Answer>(
  place: HttpPlace,
  input: object,
  signal?: AbortSignal,
  actor?: Actor,
) => Promise<Answer>;

/** Carries one operation out by its name. Rejects with the RoomError that it failed with: `interrupted` once the signal is
 * aborted, of which the daemon learns by the closed connection.
 * @throws RoomError `bad_input` for what is no address of a daemon */
export function createHttpSend(options: RemoteDaemon, effects: Pick<Effects, 'fetch'>): Send {
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
export function createApiCall({ url, token }: RemoteDaemon, { fetch }: Pick<Effects, 'fetch'>): ApiCall {
  const origin = originOf(url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (place, input, signal, actor) => {
    const { headers: more, input: asked } = guardOf(place, input);
    // A program that acts for the person says so, and has an assistant's rights.
    const whose = {
      ...(actor?.kind === 'assistant' && { 'x-taskroom-assistant': actor.client }),
      ...(actor?.kind === 'person' && actor.command && { 'x-taskroom-command': actor.command }),
    };
    const { path, method, body } = requestOf(place, asked) ?? namesNothing(asked);
    // A token goes to the daemon that was named, and to no other.
    const send = async () => {
      const response = await fetch(`${origin}${path}`, {
        ...{ method, headers: { ...headers, ...whose, ...more }, redirect: 'error' },
        ...{ body: body === null ? null : JSON.stringify(body), signal: signal ?? null },
      });
      return { response, text: await response.text() };
    };
    const { response, text } = await send().catch((error: unknown) => {
      throw unreachable(origin, error);
    });
    const answer = parse(text, origin);
    if (response.ok) return answer as never;
    throw failureOf(answer, response.status, origin);
  };
}

/** A change of one certain text names that text in a header. */
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

const CERTIFICATE_FAULTS = new Map<string, [what: string, hint: string]>([
  ['CERT_HAS_EXPIRED', ['has expired', 'give taskroom up there a newer one']],
  ['CERT_NOT_YET_VALID', ['is not valid yet', 'check the clocks of both machines']],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ['is for other names', 'call it by a name that stands in there']],
]);

/** What OpenSSL's code means to a person, and what to do; null for what is not about TLS. */
function aboutTls(origin: string, code: string): [message: string, hint: string] | null {
  const certificate = `the certificate of ${origin}`;
  const [what, hint = ''] = CERTIFICATE_FAULTS.get(code) ?? [];
  if (what !== undefined) return [`${certificate} ${what}`, hint];
  if (/SELF_SIGNED|^UNABLE_TO_|UNTRUSTED/.test(code))
    return [
      `${certificate} is of no authority that this machine trusts (${code})`,
      'name the file of its authority in NODE_EXTRA_CA_CERTS',
    ];
  if (!code.startsWith('ERR_SSL_')) return null;
  return [`${origin} speaks no TLS (${code})`, 'see the address that taskroom up printed'];
}

interface Failure {
  code?: ErrorCode;
  detail?: string;
  hint?: string;
  problems?: Problem[];
  retry_after_ms?: number;
}

function parse(text: string, origin: string): Failure {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch {
    // Told below.
  }
  const hint = 'check --url, and any proxy in between';
  throw new RoomError('unavailable', `what answers at ${origin} is no daemon of taskroom`, hint);
}

function failureOf(failure: Failure, status: number, origin: string): RoomError {
  const { code = 'bug', detail: message = `status ${status}`, hint, problems, retry_after_ms } = failure;
  if (status !== 401) return fromErrorRecord({ code, message, hint, problems, retryAfterMs: retry_after_ms });
  const said = `${origin} does not take this token`;
  return fromErrorRecord({ code, message: said, hint: 'give another with --token or TASKROOM_TOKEN' });
}
