// Failures as `application/problem+json` (RFC 9457): one table from error codes to statuses, and a body from which the
// same RoomError can be made again.
import { type ErrorCode, type Problem, RoomError } from '../../core/errors.ts';

export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  bad_input: 400,
  not_allowed: 403,
  not_found: 404,
  ambiguous: 409,
  conflict: 409,
  refused: 409,
  gone: 410,
  invalid_file: 422,
  turn_failed: 422,
  locked: 423,
  rate_limited: 429,
  bug: 500,
  unauthorized: 502,
  io: 503,
  room_gone: 503,
  no_room: 503,
  unavailable: 503,
  interrupted: 503,
};

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  hint?: string;
  problems?: Problem[];
  retry_after_ms?: number;
}

/** A failure that is HTTP's own (a method, a length, a precondition), with what the answer holds besides. */
export class HttpFault extends Error {
  readonly status: number;
  readonly error: RoomError;
  readonly more: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    error: RoomError,
    { more = {}, headers = {} }: { more?: object; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(error.message);
    this.status = status;
    this.error = error;
    this.more = more;
    this.headers = headers;
  }
}

/** The answer for any failure. What is no RoomError is a bug: its stack is for the room's log, not for the caller. */
export function problemResponse(error: unknown): Response {
  if (error instanceof HttpFault) return respond(error.status, error.error, error.more, error.headers);
  if (error instanceof RoomError) return respond(STATUS_OF[error.code], error, error.more, {});
  return respond(
    500,
    new RoomError('bug', 'this is a bug of taskroom; its stack is in the log of the room'),
    {},
    {},
  );
}

function respond(
  status: number,
  { code, message, hint, problems, retryAfterMs }: RoomError,
  more: object,
  headers: Readonly<Record<string, string>>,
): Response {
  const body: ProblemBody = {
    type: `urn:taskroom:${code}`,
    title: code.replaceAll('_', ' '),
    status,
    code,
    detail: message,
    ...(hint === undefined ? {} : { hint }),
    ...(problems.length === 0 ? {} : { problems }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...more,
  };
  const retry = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...retry, ...headers },
  });
}
