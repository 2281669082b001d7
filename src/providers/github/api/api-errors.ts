// What GitHub's refusals mean here: each names what to wait for or what to set, and none holds a secret.
import { isRoomError, RoomError } from '../../../core/errors.ts';

export interface FaultContext {
  /** What was asked for, as people say it: `the issues of acme/web`. */
  what: string;
  /** Where the credentials come from. */
  from: string;
  /** What a 404 means: the issue or comment is gone, or the repository can't be seen. */
  absent: 'gone' | 'not_found';
  writing: boolean;
}

interface HttpFault {
  status: number;
  message: string;
  headers: Readonly<Record<string, string | undefined>>;
  isNetwork: boolean;
}

/** What credentials must be allowed to do. */
export const SCOPES = 'the scope `repo` (or `public_repo`), or fine-grained Issues: read and write';
/** What GitHub asks to wait when it names no time. */
const SECONDARY_WAIT_MS = 60_000;
const MAX_WAIT_MS = 3_600_000;

function asHttpFault(error: unknown): HttpFault | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  const response =
    'response' in error ? (error.response as { headers?: HttpFault['headers'] } | undefined) : undefined;
  // A connection that broke is told as 500 by the client, with no answer to it.
  const isNetwork = response === undefined;
  return { status: error.status, message: error.message, headers: response?.headers ?? {}, isNetwork };
}

/** How long until the budget is new, by the server's own clock. */
export function resetInMs(headers: HttpFault['headers']): number | null {
  const resetAt = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1_000;
  const now = Date.parse(headers.date ?? '');
  if (Number.isNaN(resetAt) || Number.isNaN(now)) return null;
  return Math.min(Math.max(resetAt - now, 0) + 1_000, MAX_WAIT_MS);
}

function waitOf({ headers, status, message }: HttpFault): number | null {
  const asked = Number(headers['retry-after'] ?? Number.NaN);
  const isLimit = status === 429 || status === 403;
  if (isLimit && Number.isFinite(asked)) return Math.min(Math.max(asked, 1) * 1_000, MAX_WAIT_MS);
  if (isLimit && headers['x-ratelimit-remaining'] === '0') return resetInMs(headers) ?? SECONDARY_WAIT_MS;
  if (status === 429 || (status === 403 && /\bsecondary rate\b|\babuse\b/i.test(message)))
    return SECONDARY_WAIT_MS;
  return null;
}

/** The error as one of ours; bugs stay what they are. */
export function toRoomError(error: unknown, context: FaultContext): unknown {
  if (isRoomError(error)) return error;
  const fault = asHttpFault(error);
  if (!fault) return error;
  const retryAfterMs = waitOf(fault);
  if (retryAfterMs !== null) {
    const message = `GitHub's rate limit is reached (${context.what})`;
    return new RoomError('rate_limited', message, { cause: error, retryAfterMs });
  }
  return refusal(fault, context, error);
}

function refusal(fault: HttpFault, context: FaultContext, cause: unknown): RoomError {
  const { status } = fault;
  const { what, from } = context;
  const said = firstLine(fault.message);
  if (status === 401) {
    const hint = `Set a token that is valid and has ${SCOPES}.`;
    return new RoomError('unauthorized', `GitHub does not accept the credentials from ${from}`, {
      cause,
      hint,
    });
  }
  if (status === 403) {
    const code = context.writing ? 'refused' : 'unauthorized';
    const hint = `Give the credentials from ${from} ${SCOPES}.`;
    return new RoomError(code, `GitHub does not allow ${what}: ${said}`, { cause, hint });
  }
  if (status === 404 && context.absent === 'not_found') {
    const hint = `Check the name; for a private repository the credentials from ${from} need ${SCOPES}.`;
    return new RoomError('not_found', `GitHub does not find ${what}`, { cause, hint });
  }
  if (status === 404 || status === 410) {
    const code = context.absent;
    return new RoomError(code, `${what}: ${said}`, { cause });
  }
  if (status === 400 || status === 422) {
    return new RoomError('bad_input', `GitHub does not take ${what}: ${said}`, { cause });
  }
  const problem = fault.isNetwork ? 'GitHub can not be reached' : `GitHub answered ${status}`;
  return new RoomError('unavailable', `${problem} (${what}): ${said}`, { cause });
}

function firstLine(message: string): string {
  return message.split('\n')[0]!.slice(0, 300);
}
