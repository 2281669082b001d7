// Requests to one GitHub server, each answered with plain data or a RoomError. Writes that make something new are tried
// once: whether a lost one acted is for its idempotency marker to tell.
import { RoomError } from '../../core/errors.ts';
import { type FaultContext, statusOf, toRoomError } from './api-errors.ts';
import type { Connection } from './connect.ts';

export type Params = Readonly<Record<string, unknown>>;

export interface ApiRequest {
  /** Of the REST API, with `{names}`: `GET /repos/{owner}/{repo}`. */
  route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`;
  /** The thing asked for, as people say it. */
  what: string;
  params?: Params;
  etag?: string | null;
  absent?: FaultContext['absent'];
  signal: AbortSignal;
}

export interface ApiAnswer {
  /** True for 304: nothing changed since the ETag, and `data` is null. */
  unchanged: boolean;
  data: unknown;
  etag: string | null;
  links: Links;
  /** The server's clock, epoch ms. */
  servedAt: number | null;
}

/** Where a listing goes on, as query parameters: the addresses a server gives may not be the ones it is reached by. */
export interface Links {
  next: { after: string } | { page: number } | null;
  /** Number of the last page, where the server says it. */
  last: number | null;
}

interface Raw {
  status: number;
  headers: Record<string, string | undefined>;
  data?: unknown;
}

export type Client = ReturnType<typeof createClient>;

const MAX_REDIRECTS = 3;

export function createClient({ plain, patient, assertBudget, from, api }: Connection) {
  async function request(ask: ApiRequest): Promise<Raw> {
    const { route, params, etag, signal, what, absent = 'gone' } = ask;
    if (signal.aborted) throw stopped();
    assertBudget();
    const isReading = route.startsWith('GET ');
    const retries = route.startsWith('POST ') ? { retries: 0 } : {};
    const settings = {
      ...params,
      headers: etag ? { 'if-none-match': etag } : {},
      // Octokit hands a cut answer on as text; here it is parsed by us, and told.
      request: { signal, parseSuccessResponseBody: false, ...retries },
    };
    const first = (isReading ? plain : patient).request(route, settings);
    // A server that fails, or a line that breaks: the same may work a moment later.
    const call = !isReading
      ? first
      : first.catch((error: unknown) => {
          if (signal.aborted || (statusOf(error) ?? 0) < 500) throw error;
          return patient.request(route, settings);
        });
    try {
      return (await untilStopped(call, signal)) as Raw;
    } catch (error) {
      if (statusOf(error) === 304) return { ...(error as { response: Raw } & Error).response, status: 304 };
      if (signal.aborted) throw stopped();
      throw toRoomError(error, { what, from, absent, writing: !isReading });
    }
  }

  return async (ask: ApiRequest): Promise<ApiAnswer> => {
    let next = ask;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const raw = await request(next);
      if (raw.status < 300 || raw.status === 304) return toAnswer(raw, ask);
      next = redirected(raw, ask, api);
    }
    throw new RoomError('unavailable', `GitHub redirects ${ask.what} in a circle`);
  };
}

function stopped(): RoomError {
  return new RoomError('interrupted', 'stopped while asking GitHub');
}

/** Retries and pacing wait by themselves and hear no signal. */
function untilStopped<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(stopped());
    signal.addEventListener('abort', stop, { once: true });
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** What to ask instead, on the server that was asked: a token goes nowhere else. */
function redirected({ status, headers }: Raw, ask: ApiRequest, api: string): ApiRequest {
  const { route, what, params = {} } = ask;
  const method = route.slice(0, route.indexOf(' ')) as 'GET' | 'POST' | 'PATCH' | 'DELETE';
  const location = headers.location ?? '';
  if (!URL.canParse(location, api)) throw new RoomError('unavailable', `GitHub redirects ${what} nowhere`);
  // An issue that was transferred answers 301; a write meant for it would turn into a reading of the new place.
  if (method !== 'GET' && status !== 307 && status !== 308) {
    if (status === 301) throw new RoomError('gone', `${what}: moved to another place`);
    // A page to sign in at, a proxy: it says nothing of the issue.
    throw new RoomError('unavailable', `GitHub answered ${status} where ${what} was to be written`);
  }
  const url = new URL(location, api);
  const base = new URL(api).pathname.replace(/\/$/, '');
  const path = url.pathname.startsWith(`${base}/`) ? url.pathname.slice(base.length) : url.pathname;
  // The address redirected to holds what the path and the query of a reading said; what a write carries goes along.
  const carried = Object.entries(params).filter(([name]) => method !== 'GET' && !route.includes(`{${name}}`));
  return { ...ask, route: `${method} ${path}${url.search}`, params: Object.fromEntries(carried) };
}

async function toAnswer({ status, headers, data: body }: Raw, { what }: ApiRequest): Promise<ApiAnswer> {
  const date = Date.parse(headers.date ?? '');
  const servedAt = Number.isNaN(date) ? null : date;
  const facts = { etag: headers.etag ?? null, links: readLinks(headers.link), servedAt };
  if (status === 304) return { unchanged: true, data: null, ...facts };
  if (status === 204) return { unchanged: false, data: null, ...facts };
  try {
    const data: unknown = await new Response(body as ReadableStream).json();
    return { unchanged: false, data, ...facts };
  } catch (cause) {
    throw new RoomError('unavailable', `GitHub's answer broke off (${what})`, { cause });
  }
}

/** The `Link` header (RFC 8288) of a listing. */
function readLinks(header = ''): Links {
  const target = (rel: string): URLSearchParams | null => {
    const found = header.split(/,\s*(?=<)/).find((link) => link.includes(`rel="${rel}"`));
    const address = /<([^>]*)>/.exec(found ?? '')?.[1];
    return address === undefined ? null : (URL.parse(address, 'http://x')?.searchParams ?? null);
  };
  const next = target('next');
  const last = Number(target('last')?.get('page') ?? Number.NaN);
  const after = next?.get('after');
  const page = Number(next?.get('page') ?? Number.NaN);
  return {
    next: after ? { after } : Number.isInteger(page) && page > 1 ? { page } : null,
    last: Number.isInteger(last) ? last : null,
  };
}
