// Requests to one GitHub server, each answered with plain data or a RoomError. Writes that make something new are tried
// once: whether a lost one acted is for its idempotency marker to tell.
import { RoomError } from '../../../core/errors.ts';
import { type FaultContext, toRoomError } from './api-errors.ts';
import type { Connection } from './connect.ts';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** A route of the REST API with `{names}`, or a path. */
  path: string;
  params?: Readonly<Record<string, unknown>>;
  etag?: string | null;
  signal: AbortSignal;
  /** Of the thing asked for, for people. */
  what: string;
  absent?: FaultContext['absent'];
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

export type Client = (ask: ApiRequest) => Promise<ApiAnswer>;

const MAX_REDIRECTS = 3;

interface Raw {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

export function createClient({ plain, patient, transport, from }: Connection, api: string): Client {
  async function request(ask: ApiRequest, path: string): Promise<Raw> {
    if (ask.signal.aborted) throw stopped();
    transport.assertBudget();
    let text = '';
    const settings = {
      ...ask.params,
      headers: ask.etag ? { 'if-none-match': ask.etag } : {},
      request: {
        signal: ask.signal,
        fetch: transport.fetchFor((kept) => {
          text = kept;
        }),
        ...(ask.method === 'POST' ? { retries: 0 } : {}),
      },
    };
    try {
      const route = `${ask.method} ${path}`;
      const call =
        ask.method === 'GET'
          ? plain.request(route, settings).catch((error: unknown) => {
              if (ask.signal.aborted || !isPassing(error)) throw error;
              return patient.request(route, settings);
            })
          : patient.request(route, settings);
      const { status, headers } = await untilStopped(call, ask.signal);
      return { status, headers: headers as Raw['headers'], text };
    } catch (error) {
      const unchanged = unchangedAnswer(error);
      if (unchanged) return unchanged;
      if (ask.signal.aborted) throw stopped();
      const writing = ask.method !== 'GET';
      throw toRoomError(error, { what: ask.what, from, absent: ask.absent ?? 'gone', writing });
    }
  }

  return async (ask) => {
    let path = ask.path;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const raw = await request(hops === 0 ? ask : redirectedAsk(ask), path);
      if (raw.status < 300 || raw.status === 304) return toAnswer(raw, ask);
      path = redirected(raw, ask, api);
    }
    throw new RoomError('unavailable', `GitHub redirects ${ask.what} in a circle`);
  };
}

/** A server that fails, or a line that breaks: the same may work a moment later. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status >= 500
  );
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

function unchangedAnswer(error: unknown): Raw | null {
  if (!(error instanceof Error) || !('status' in error) || error.status !== 304) return null;
  const { headers } = (error as unknown as { response: { headers: Raw['headers'] } }).response;
  return { status: 304, headers, text: '' };
}

// The address redirected to holds what the path and the query of a reading said; what a write carries goes along.
function redirectedAsk(ask: ApiRequest): ApiRequest {
  if (ask.method === 'GET') return { ...ask, params: {} };
  const carried = Object.entries(ask.params ?? {}).filter(([name]) => !ask.path.includes(`{${name}}`));
  return { ...ask, params: Object.fromEntries(carried) };
}

/** Where to ask instead, on the server that was asked: a token goes nowhere else. */
function redirected({ status, headers }: Raw, ask: ApiRequest, api: string): string {
  const location = headers.location ?? '';
  if (!URL.canParse(location, api))
    throw new RoomError('unavailable', `GitHub redirects ${ask.what} nowhere`);
  // An issue that was transferred answers 301; a write meant for it would turn into a reading of the new place.
  if (ask.method !== 'GET' && status !== 307 && status !== 308) {
    if (status === 301) throw new RoomError('gone', `${ask.what}: moved to another place`);
    // A page to sign in at, a proxy: it says nothing of the issue.
    throw new RoomError('unavailable', `GitHub answered ${status} where ${ask.what} was to be written`);
  }
  const url = new URL(location, api);
  const base = new URL(api).pathname.replace(/\/$/, '');
  const path = url.pathname.startsWith(`${base}/`) ? url.pathname.slice(base.length) : url.pathname;
  return `${path}${url.search}`;
}

function toAnswer({ status, headers, text }: Raw, ask: ApiRequest): ApiAnswer {
  const links = readLinks(headers.link);
  const etag = headers.etag ?? null;
  const date = Date.parse(headers.date ?? '');
  const facts = { etag, links, servedAt: Number.isNaN(date) ? null : date };
  if (status === 304) return { unchanged: true, data: null, ...facts };
  return { unchanged: false, data: status === 204 ? null : parsed(text, ask), ...facts };
}

function parsed(text: string, ask: ApiRequest): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RoomError('unavailable', `GitHub's answer broke off (${ask.what})`, { cause });
  }
}

/** The `Link` header (RFC 8288) of a listing. */
export function readLinks(header: string | undefined): Links {
  const target = (rel: string): URLSearchParams | null => {
    const found = (header ?? '').split(/,\s*(?=<)/).find((link) => link.includes(`rel="${rel}"`));
    const address = /<([^>]*)>/.exec(found ?? '')?.[1];
    return address !== undefined && URL.canParse(address, 'http://x')
      ? new URL(address, 'http://x').searchParams
      : null;
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
