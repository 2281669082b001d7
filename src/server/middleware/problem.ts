// Failures as `application/problem+json` (RFC 9457), from which a client makes the same RoomError again.
import { ERRORS, type ErrorCode, RoomError, type RoomErrorOptions } from '../../core/errors.ts';

type AnswerHeaders = Readonly<Record<string, string>>;

/** A failure with a status of its own: a method, a length, a precondition. */
export class HttpFault extends RoomError {
  readonly status: number;
  readonly headers: AnswerHeaders;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    { headers = {}, ...options }: RoomErrorOptions & { headers?: AnswerHeaders } = {},
  ) {
    super(code, message, options);
    this.status = status;
    this.headers = headers;
  }
}

/** Any other error is a bug, whose stack is for the room's log and not for the caller. */
export function problemResponse(error: unknown): Response {
  const known = error instanceof RoomError ? error : BUG;
  const { code, message, hint, problems, retryAfterMs, more } = known;
  const status = known instanceof HttpFault ? known.status : ERRORS[code].status;
  const body = {
    ...{ type: `urn:taskroom:${code}`, title: code.replaceAll('_', ' '), status, code, detail: message },
    ...(hint !== undefined && { hint }),
    ...(problems.length > 0 && { problems }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    ...more,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
      ...(known instanceof HttpFault && known.headers),
    },
  });
}

const BUG = new RoomError('bug', 'this is a bug of taskroom; its stack is in the log of the room');
