// Asks the API of the page's own server: JSON in and out, a failure as one error that holds what the server said.
import type { Address, Change } from './calls.ts';

/** What a server says of a failure (RFC 9457), with what some answers hold besides. */
export type Problem = { code: string; detail: string; hint?: string; [more: string]: unknown };

export class ApiError extends Error {
  readonly status: number; // 0 where no answer came.
  readonly problem: Problem;
  readonly etag: string | null;

  constructor(status: number, problem: Problem, etag: string | null) {
    super(problem.detail);
    this.status = status;
    this.problem = problem;
    this.etag = etag;
  }
}

export type RequestOptions = { headers?: Readonly<Record<string, string>>; signal?: AbortSignal };

/** @throws ApiError for every answer that is no success, and with status 0 where none came */
export async function askFor<T>(call: Address<T> | Change<T>, options?: RequestOptions) {
  const response = await send(call, options);
  if (!response.ok) throw await failureOf(response);
  return { body: (await jsonOf(response)) as T, etag: response.headers.get('etag') };
}

/** The body alone. @throws as askFor */
export const ask = async <T>(call: Address<T> | Change<T>): Promise<T> => (await askFor(call)).body;

/** @throws ApiError where no answer came */
export async function send(call: Address<unknown> | Change<unknown>, options: RequestOptions = {}) {
  const { headers, signal } = options;
  const { path, method, body } = typeof call === 'string' ? { path: call, method: 'GET', body: null } : call;
  try {
    return await fetch(path, {
      method,
      headers: { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === null ? null : JSON.stringify(body),
      signal: signal ?? null,
      // Whoever asks again sends If-None-Match by itself.
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

/** What an answer that is no success says. */
export async function failureOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const body = (await jsonOf(response)) as Partial<Problem> | null;
  const isProblem = typeof body?.detail === 'string';
  const problem = isProblem ? (body as Problem) : { code: 'unknown', detail: `The room answered ${status}.` };
  return new ApiError(status, problem, headers.get('etag'));
}

const noAnswer = (code: string, detail: string) => new ApiError(0, { code, detail }, null);
const unreachable = () => noAnswer('unreachable', 'The room does not answer.');

/** Null where it is none. @throws ApiError for an answer that broke off: the room went away while it was sent */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => {
    throw unreachable();
  });
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  if (!isJson || text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw noAnswer('unreadable', 'What answered is not the room: its answer is no JSON.');
  }
}

/** The text of an answer as it comes. @throws ApiError for no success, and where it breaks off */
export async function* piecesOf(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw await failureOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw unreachable();
    });
    if (done) return;
    yield value;
  }
}

/** The whole lines of each piece. @throws as piecesOf */
export async function* linesOf(response: Response): AsyncGenerator<string[]> {
  let rest = '';
  for await (const piece of piecesOf(response)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}
