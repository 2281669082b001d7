// Requests to one GitHub server, each answered with plain data or a RoomError: octokit for these credentials, over a `fetch`
// that is bounded in time and counted. Octokit's pacing of writes (one a second, one in three where people are notified) and
// its retries of what failed without having acted stay as they are; what waits longer is the engine's to wait for. Writes
// that make something new are tried once: whether a lost one acted is for its idempotency marker to tell.
import { createHash } from 'node:crypto';
import type { Octokit } from 'octokit';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { Usage } from '../provider.ts';
import { causeOf, createBudget, isSecureAddress, underTimeLimit } from '../tracker-rules.ts';
import { type FaultContext, readGithubBudget, statusOf, toRoomError } from './api-errors.ts';
import type { Credentials } from './options.ts';
import { readInstallation } from './response-shapes.ts';

/** Set by tests alone: GitHub's own pace is no setting. */
export interface Pace {
  paced: boolean; // False: writes are not paced.
  retryBaseMs: number; // The first wait of a retry; the next ones are 4 and 9 times as long.
  timeoutMs: number; // The longest a whole answer may take.
}

const DEFAULT_PACE: Pace = { paced: true, retryBaseMs: 1_000, timeoutMs: 60_000 };
const FLOOR_SHARE = 0.01;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
/** Refusals that the same request will meet again, and limits, which are the engine's to wait for. */
const DO_NOT_RETRY = [400, 401, 403, 404, 410, 422, 429, 451];

type Connection = Awaited<ReturnType<typeof connect>>;

export async function connect(
  credentials: Credentials,
  place: { api: string; source: string },
  effects: Effects,
  pace: Partial<Pace>,
) {
  const { paced, retryBaseMs, timeoutMs } = { ...DEFAULT_PACE, ...pace };
  const { App, Octokit } = await import('octokit');
  const { fetch, ...transport } = createTransport(effects, timeoutMs);
  const secret = credentials.kind === 'token' ? credentials.token : `app ${credentials.appId}`;
  /** Tells credentials apart without telling them: a cursor made with others does not fit. */
  const fingerprint = createHash('sha256').update(secret).digest('hex').slice(0, 12);
  const base = { baseUrl: place.api, userAgent: 'taskroom', log: QUIET, request: { fetch, log: QUIET } };
  const plain = { ...base, retry: { enabled: false }, throttle: { enabled: false } };
  const limits = { onRateLimit: () => false, onSecondaryRateLimit: () => false };
  const patient = {
    ...base,
    retry: { doNotRetry: DO_NOT_RETRY, retryAfterBaseValue: retryBaseMs },
    // Pace is kept for each account of each server.
    throttle: { enabled: paced, id: `${place.api} ${fingerprint}`, ...limits },
  };
  const { from, kind } = credentials;
  const facts = { ...transport, api: place.api, fingerprint, from, app: kind === 'app' };
  // `plain` is for a first try of a reading, which needs no pace: the plugins' queues would cost each ten milliseconds or more.
  if (kind === 'token') {
    const auth = credentials.token;
    return { ...facts, plain: new Octokit({ ...plain, auth }), patient: new Octokit({ ...patient, auth }) };
  }
  const { appId, privateKey } = credentials;
  const app = new App({ appId, privateKey, Octokit: Octokit.defaults(patient), log: QUIET });
  const installationId =
    credentials.installationId ?? (await findInstallation(app.octokit, place.source, from));
  const installation = (await app.getInstallationOctokit(installationId)) as Octokit;
  // Both use the token the one got.
  const authStrategy = () => installation.auth;
  return { ...facts, plain: new Octokit({ ...plain, authStrategy }), patient: installation };
}

async function findInstallation(octokit: Octokit, source: string, from: string): Promise<number> {
  const [owner, repo] = source.split('/') as [string, string];
  try {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/installation', { owner, repo });
    return readInstallation(data).id;
  } catch (error) {
    const what = `the installation of the app in ${source}`;
    if (!(error instanceof Error) || 'status' in error || isRoomError(error))
      throw toRoomError(error, { what, from, absent: 'not_found', writing: false });
    // A key that is no key fails where the token is signed, without a request.
    const hint = 'Set GITHUB_APP_PRIVATE_KEY to the private key of the app, in PEM.';
    const message = `no token can be signed with the key from ${from}`;
    throw new RoomError('unauthorized', message, { cause: error, hint });
  }
}

function createTransport(effects: Effects, timeoutMs: number) {
  let requests = 0;
  let notModified = 0;
  const budget = createBudget('GitHub', 'requests', FLOOR_SHARE, () => effects.monotonicMs());

  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests += 1;
    const given = init?.signal;
    try {
      return await underTimeLimit(effects, timeoutMs, given, async (signal) => {
        // Where a redirect leads is the client's to judge.
        const response = await effects.fetch(input, { ...init, signal, redirect: 'manual' });
        // Read under the time limit: a server may stop in the middle of its answer.
        const text = await response.text();
        const { status, headers } = response;
        if (status === 304) notModified += 1;
        // GraphQL has a budget of its own.
        if ((headers.get('x-ratelimit-resource') ?? 'core') === 'core')
          budget.note(readGithubBudget((name) => headers.get(name), effects.now()));
        return new Response([204, 205, 304].includes(status) ? null : text, { status, headers });
      });
    } catch (error) {
      throw given?.aborted ? error : new TypeError('fetch failed', { cause: causeOf(error) });
    }
  };

  const usage = (): Usage => ({ requests, notModified, ...budget.usage() });
  /** The end of a text that lies at an address of its own, which is asked without credentials. */
  const fetchEnd = (address: string, given: AbortSignal) =>
    underTimeLimit(effects, timeoutMs, given, async (signal) => {
      const response = await effects.fetch(address, { signal, redirect: 'error' });
      if (!response.ok || response.body === null) throw new Error(`it was answered ${response.status}`);
      let end = '';
      for await (const text of response.body.pipeThrough(new TextDecoderStream()))
        end = `${end}${text}`.slice(-MOST_OF_END);
      return end;
    });
  return { fetch, fetchEnd, usage, assertBudget: budget.assertLeft };
}

const MOST_OF_END = 256 * 1024; // Characters.

export type Params = Readonly<Record<string, unknown>>;
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface ApiRequest {
  route: `${Method} ${string}`; // Of the REST API, with `{names}`: `GET /repos/{owner}/{repo}`.
  what: string; // The thing asked for, as people say it.
  params?: Params;
  etag?: string | null;
  absent?: FaultContext['absent'];
  reading?: boolean; // A POST that changes nothing: a query of GraphQL.
  signal: AbortSignal;
}

/** `scopes`: what credentials need, as people say it; `scope`: one that a token must have, where it tells its own. */
export type GraphqlRequest = [what: string, query: string, variables: Params, scopes: string, scope?: string];

/** Where a listing goes on, as query parameters: the addresses a server gives may not be the ones it is reached by. */
export interface Links {
  next: { after: string } | { page: number } | null;
  last: number | null; // Number of the last page, where the server says it.
}

type Raw = { status: number; headers: Record<string, string | undefined>; data?: unknown };
export type Client = ReturnType<typeof createClient>;

const MAX_REDIRECTS = 3;

export function createClient({ plain, patient, assertBudget, from, api, fetchEnd }: Connection) {
  async function request(ask: ApiRequest): Promise<Raw> {
    const { route, params, etag, signal, what, absent = 'gone' } = ask;
    if (signal.aborted) throw stopped();
    assertBudget();
    const isReading = ask.reading === true || route.startsWith('GET ');
    const retries = !isReading && /^(POST|PUT) /.test(route) ? { retries: 0 } : {};
    const settings = {
      ...params,
      headers: etag ? { 'if-none-match': etag } : {},
      // Octokit hands a cut answer on as text; here it is parsed by us, and told.
      request: { signal, parseSuccessResponseBody: false, ...retries },
    };
    const first = (isReading ? plain : patient).request(route, settings);
    // A server that fails, or a line that breaks: the same may work a moment later.
    const call = first.catch((error: unknown) => {
      if (!isReading || signal.aborted || (statusOf(error) ?? 0) < 500) throw error;
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

  return {
    async ask(ask: ApiRequest) {
      let next = ask;
      for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
        const raw = await request(next);
        if (raw.status < 300 || raw.status === 304) return toAnswer(raw, ask);
        next = redirected(raw, ask, api);
      }
      throw new RoomError('unavailable', `GitHub redirects ${ask.what} in a circle`);
    },
    /** The end of a text that the server leads to. */
    async download(ask: ApiRequest): Promise<string> {
      const address = URL.parse((await request(ask)).headers.location ?? '');
      if (address === null || !isSecureAddress(address))
        throw new RoomError('unavailable', `GitHub does not say where ${ask.what} is`);
      return fetchEnd(address.href, ask.signal).catch((cause: unknown) => {
        if (ask.signal.aborted) throw stopped();
        throw new RoomError('unavailable', `${ask.what} can't be read`, { cause });
      });
    },
  };
}

const stopped = (): RoomError => new RoomError('interrupted', 'stopped while asking GitHub');

/** Retries and pacing wait by themselves and hear no signal. */
function untilStopped<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(stopped());
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([call, promise]).finally(() => signal.removeEventListener('abort', stop));
}

/** What to ask instead, on the server that was asked: a token goes nowhere else. */
function redirected({ status, headers }: Raw, ask: ApiRequest, api: string): ApiRequest {
  const { route, what, params = {} } = ask;
  const method = route.slice(0, route.indexOf(' ')) as Method;
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

/** `unchanged`: nothing is other than at the ETag. `servedAt`: the server's clock, epoch ms. */
async function toAnswer({ status, headers, data: body }: Raw, { what }: ApiRequest) {
  const date = Date.parse(headers.date ?? '');
  const servedAt = Number.isNaN(date) ? null : date;
  const unchanged = status === 304;
  /** Of a classic token; null for other credentials. */
  const scopes = headers['x-oauth-scopes']?.split(/,\s*/) ?? null;
  const facts = { unchanged, etag: headers.etag ?? null, links: readLinks(headers.link), servedAt, scopes };
  if (unchanged || status === 204) return { data: null as unknown, ...facts };
  try {
    const data: unknown = await new Response(body as ReadableStream).json();
    return { data, ...facts };
  } catch (cause) {
    throw new RoomError('unavailable', `GitHub's answer broke off (${what})`, { cause });
  }
}

/** The `Link` header (RFC 8288) of a listing. */
function readLinks(header = ''): Links {
  const target = (rel: string) => {
    const found = header.split(/,\s*(?=<)/).find((link) => link.includes(`rel="${rel}"`));
    return URL.parse(/<([^>]*)>/.exec(found ?? '')?.[1] ?? '', 'http://x')?.searchParams;
  };
  const pageOf = (params: URLSearchParams | undefined) => {
    const page = Number(params?.get('page') ?? Number.NaN);
    return Number.isInteger(page) ? page : null;
  };
  const next = target('next');
  const after = next?.get('after');
  const page = pageOf(next);
  return {
    next: after ? { after } : page !== null && page > 1 ? { page } : null,
    last: pageOf(target('last')),
  };
}
