// Asks the API of the page's own server: JSON in and out, a failure as one error that holds what the server said.
import type { Address, Change } from './calls.ts';

/** What a server says of a failure (RFC 9457), with what some answers hold besides. */
export interface Problem {
  code: string;
  detail: string;
  hint?: string;
  [more: string]: unknown;
}

export class ApiError extends Error {
  /** 0 where no answer came. */
  readonly status: number;
  readonly problem: Problem;
  readonly etag: string | null;

  constructor(status: number, problem: Problem, etag: string | null) {
    super(problem.detail);
    this.status = status;
    this.problem = problem;
    this.etag = etag;
  }
}

export interface Asked {
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** What the page asked for before its script was there will do. */
  isEarly?: boolean;
}

export interface Told<T> {
  /** 304 has no body. */
  status: number;
  body: T;
  etag: string | null;
}

/** @throws ApiError for every answer that is no success, and with status 0 where none came */
export async function askFor<T>(call: Address<T> | Change<T>, asked: Asked = {}): Promise<Told<T>> {
  const response = await send(call, asked);
  const etag = response.headers.get('etag');
  if (response.status === 304) return { status: 304, body: undefined as T, etag };
  if (!response.ok) throw await failureOf(response);
  return { status: response.status, body: (await jsonOf(response)) as T, etag };
}

/** What an answer that is no success says. */
export async function failureOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  return new ApiError(status, problemOf(status, await jsonOf(response)), headers.get('etag'));
}

export function unreachable(): ApiError {
  return new ApiError(0, { code: 'unreachable', detail: 'The room does not answer.' }, null);
}

/** Null where it is none. @throws ApiError for an answer that broke off: the room went away while it was said */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => {
    throw unreachable();
  });
  return isJson(response) && text !== '' ? JSON.parse(text) : null;
}

/** The body alone. @throws as askFor */
export async function ask<T>(call: Address<T> | Change<T>): Promise<T> {
  return (await askFor(call)).body;
}

/** @throws ApiError where no answer came */
export async function send(
  call: Address<unknown> | Change<unknown>,
  { headers, signal, isEarly = false }: Asked,
): Promise<Response> {
  const { path, method, body } = typeof call === 'string' ? { path: call, method: 'GET', body: null } : call;
  try {
    return await fetch(path, {
      method,
      headers: { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      // What is asked again says so by itself, with If-None-Match.
      cache: isEarly ? 'default' : 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

function isJson(response: Response): boolean {
  return /json/.test(response.headers.get('content-type') ?? '');
}

function problemOf(status: number, body: unknown): Problem {
  const said = body as Partial<Problem> | null;
  if (typeof said?.detail === 'string') return said as Problem;
  return { code: 'unknown', detail: `The room answered ${status}.` };
}
