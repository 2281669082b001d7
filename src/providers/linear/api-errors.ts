// What Linear's refusals mean. Its rate limit is HTTP 400 with a code, its refusals may come with HTTP 200, and the
// SDK calls every other 4xx an authentication error: so code and status decide here, not the SDK's type.
import { isRoomError, RoomError } from '../../core/errors.ts';

/** The answer inside an error of the SDK. */
interface Answered {
  status?: number;
  errors?: readonly {
    message?: string;
    extensions?: { code?: string; type?: string; userPresentableMessage?: string };
  }[];
  headers?: Headers;
}
export interface RawFailure {
  raw?: { response?: Answered };
}

interface FailureFacts {
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

/** Troubles of Linear's own, whatever the HTTP status they come with: types and codes. */
const PASSING = [
  'internal error',
  'lock timeout',
  'bootstrap error',
  'network error',
  'internal server error',
];

/** Linear said that an id or name leads nowhere. Callers decide what that means for them. */
export function isMissing(error: unknown): error is RoomError {
  return isRoomError(error, 'not_found');
}

/** For a `catch`: null when Linear said that the id leads nowhere. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Linear said that a query costs more than one may: a smaller page of the same does not. */
export function isTooComplex(error: unknown): boolean {
  return isRoomError(error) && error.code !== 'rate_limited' && /too complex|complexity/i.test(error.message);
}

/** The RoomError for anything a request threw. */
export function toRoomError(error: unknown, facts: FailureFacts): RoomError {
  const [code, words, more] = meaningOf(error, facts);
  return new RoomError(code, words, { cause: error, ...more });
}

type Meaning = [code: RoomError['code'], words: string, more?: { hint?: string; retryAfterMs?: number }];

function meaningOf(error: unknown, facts: FailureFacts): Meaning {
  const { answered, variable } = facts;
  if (facts.isStopped) return ['interrupted', 'stopped while Linear was asked'];
  if (facts.isLate) return ['unavailable', 'Linear did not answer in time'];
  const status = answered?.status;
  if (!status) return ['unavailable', `Linear can't be reached: ${clean(reasonOf(error))}`];
  const { message = '', extensions } = answered.errors?.[0] ?? {};
  const { code = '', type = '', userPresentableMessage } = extensions ?? {};
  const said = clean(userPresentableMessage ?? (message || `HTTP ${status}`));
  if (code === 'RATELIMITED' || status === 429) {
    const retryAfterMs = retryAfter(answered) ?? (facts.resetAfterMs || DEFAULT_WAIT_MS);
    return ['rate_limited', `Linear limits us: ${said}`, { retryAfterMs }];
  }
  if (status === 401 || code === 'AUTHENTICATION_ERROR') {
    const hint = `set ${variable} to credentials that are valid and may read and write the team`;
    return ['unauthorized', `Linear does not take the credentials in ${variable}: ${said}`, { hint }];
  }
  if (status === 403 || code === 'FORBIDDEN') {
    const hint = `the account of ${variable} needs access to the team`;
    return [facts.isMutation ? 'refused' : 'unauthorized', `Linear does not allow it: ${said}`, { hint }];
  }
  const isPassing = [type, code.toLowerCase().replaceAll('_', ' ')].some((word) => PASSING.includes(word));
  if (status >= 500 || !answered.errors?.[0] || isPassing) return ['unavailable', `Linear failed: ${said}`];
  if (code === 'GRAPHQL_VALIDATION_FAILED' || /^(?:Cannot query field|Unknown )/.test(message)) {
    const hint = 'leave out of `fields:` what Linear no longer has';
    return ['bad_input', `Linear does not know what was asked: ${said}`, { hint }];
  }
  if (/not found/i.test(message)) return ['not_found', `Linear: ${said}`];
  return ['refused', `Linear refused: ${said}`];
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
