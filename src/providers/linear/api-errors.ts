// What Linear's refusals mean. Its rate limit is HTTP 400 with a code, its refusals may come with HTTP 200, and the
// SDK calls every other 4xx an authentication error: so code and status decide here, not the SDK's type.
import { RoomError } from '../../core/errors.ts';

interface GraphError {
  message?: string;
  extensions?: { code?: string; type?: string; statusCode?: number; userPresentableMessage?: string };
}

/** The answer inside an error of the SDK. */
export interface Answered {
  status?: number;
  errors?: readonly GraphError[];
  headers?: Headers;
}
export interface RawFailure {
  raw?: { response?: Answered };
}

export interface FailureFacts {
  answered: Answered | undefined;
  isMutation: boolean;
  /** The caller gave up. */
  isStopped: boolean;
  isLate: boolean;
  /** The environment variable whose credentials were sent. */
  variable: string;
  /** Until a used up budget is full again; 0 when that is not known. */
  resetAfterMs: number;
}

/** When Linear limits us and does not say for how long. */
const DEFAULT_WAIT_MS = 60_000;

/** Troubles of Linear's own, whatever the HTTP status they come with. */
const PASSING_TYPES = ['internal error', 'lock timeout', 'bootstrap error', 'network error'];
const PASSING_CODES = ['INTERNAL_SERVER_ERROR', 'LOCK_TIMEOUT', 'BOOTSTRAP_ERROR', 'NETWORK_ERROR'];

/** Linear said that an id or name leads nowhere. Callers decide what that means for them. */
export function isMissing(error: unknown): boolean {
  return error instanceof RoomError && error.code === 'not_found';
}

/** Linear said that a query costs more than one may: a smaller page of the same does not. */
export function isTooComplex(error: unknown): boolean {
  return (
    error instanceof RoomError &&
    /too complex|complexity/i.test(error.message) &&
    error.code !== 'rate_limited'
  );
}

/** The RoomError for anything a request threw. */
export function toRoomError(error: unknown, facts: FailureFacts): RoomError {
  const { answered, variable } = facts;
  const options = { cause: error };
  if (facts.isStopped) return new RoomError('interrupted', 'stopped while Linear was asked', options);
  if (facts.isLate) return new RoomError('unavailable', 'Linear did not answer in time', options);
  if (!answered?.status) {
    return new RoomError('unavailable', `Linear can't be reached: ${clean(reasonOf(error))}`, options);
  }
  const first = answered.errors?.[0];
  const code = first?.extensions?.code ?? '';
  const status = answered.status;
  const said = clean(first?.extensions?.userPresentableMessage ?? first?.message ?? `HTTP ${status}`);
  if (code === 'RATELIMITED' || status === 429) {
    const retryAfterMs = retryAfter(answered) ?? (facts.resetAfterMs || DEFAULT_WAIT_MS);
    return new RoomError('rate_limited', `Linear limits us: ${said}`, { ...options, retryAfterMs });
  }
  if (status === 401 || code === 'AUTHENTICATION_ERROR') {
    const hint = `set ${variable} to credentials that are valid and may read and write the team`;
    return new RoomError('unauthorized', `Linear does not take the credentials in ${variable}: ${said}`, {
      ...options,
      hint,
    });
  }
  if (status === 403 || code === 'FORBIDDEN') {
    const hint = `the account of ${variable} needs access to the team`;
    return new RoomError(facts.isMutation ? 'refused' : 'unauthorized', `Linear does not allow it: ${said}`, {
      ...options,
      hint,
    });
  }
  const isPassing = PASSING_CODES.includes(code) || PASSING_TYPES.includes(first?.extensions?.type ?? '');
  if (status >= 500 || !first || isPassing)
    return new RoomError('unavailable', `Linear failed: ${said}`, options);
  if (code === 'GRAPHQL_VALIDATION_FAILED' || /^(?:Cannot query field|Unknown )/.test(first.message ?? '')) {
    const hint = 'leave out of `fields:` what Linear no longer has';
    return new RoomError('bad_input', `Linear does not know what was asked: ${said}`, {
      ...options,
      hint,
    });
  }
  if (/not found/i.test(first.message ?? '')) return new RoomError('not_found', `Linear: ${said}`, options);
  return new RoomError('refused', `Linear refused: ${said}`, options);
}

function retryAfter({ headers }: Answered): number | null {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, 3_600_000) : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxError) return 'its answer is cut short';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

/** What a server says, on one line of bounded length, for a terminal. */
function clean(text: string): string {
  return text.replace(/\p{C}+/gu, ' ').slice(0, 300);
}
