// A GitHub-shaped server in this process, stricter than any emulator: it refuses what GitHub refuses and gives what
// GitHub gives, on a clock that a test moves by hand. Its state is plain data; `people.ts` has what people do to it.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCOUNT_ROUTES, APP_ROUTES, isAppToken } from './account-routes.ts';
import { type Answer, type Call, type Handler, notFound, Refused } from './answer.ts';
import { COMMENT_ROUTES } from './comment-routes.ts';
import { ISSUE_ROUTES } from './issue-routes.ts';
import { PULL_ROUTES, readStored } from './pull-routes.ts';
import { RELATION_ROUTES } from './relation-routes.ts';
import { type Json, Shapes } from './shapes.ts';
import {
  type Access,
  createServerState,
  type Features,
  type ProjectScope,
  type Refusal,
  type ServerState,
  type StoredUser,
} from './state.ts';

// GitHub's limits: the budget of an hour, and the secondary ones that come without warning.
const SECONDARY =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to ' +
  'GitHub Support for help, please include the request ID C0DE:1234:ABCDEF.';
const SECONDARY_DOCS =
  'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits';
const PRIMARY_DOCS =
  'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#primary-rate-limit';

function primary(): Refused {
  return new Refused(403, 'API rate limit exceeded for user ID 1001.', { documentation_url: PRIMARY_DOCS });
}

const REFUSALS: Readonly<Record<Refusal, (state: ServerState) => Refused>> = {
  secondary: () =>
    new Refused(403, SECONDARY, { documentation_url: SECONDARY_DOCS }, { 'retry-after': '60' }),
  secondary_without_wait: () => new Refused(403, SECONDARY, { documentation_url: SECONDARY_DOCS }),
  too_many: () => new Refused(429, 'Too many requests', {}, { 'retry-after': '30' }),
  primary: (state) => {
    state.rate.remaining = 0;
    return primary();
  },
};

/** A new hour begins when the clock has passed the old one. */
function renew(state: ServerState): void {
  if (state.nowMs < state.rate.resetAtMs) return;
  state.rate.remaining = state.rate.limit;
  state.rate.resetAtMs = state.nowMs + 3_600_000;
}

function refuseForLimit(state: ServerState): void {
  renew(state);
  const next = state.refusals.shift();
  if (next !== undefined) throw REFUSALS[next](state);
  if (state.rate.remaining <= 0) throw primary();
}

function spend(state: ServerState): void {
  state.rate.remaining = Math.max(0, state.rate.remaining - 1);
}

function budgetHeaders(state: ServerState): Record<string, string> {
  const { limit, remaining, resetAtMs } = state.rate;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(limit - remaining),
    'x-ratelimit-reset': String(Math.ceil(resetAtMs / 1_000)),
    'x-ratelimit-resource': 'core',
  };
}

export interface Served {
  method: string;
  /** Path and query. */
  path: string;
  /** The route it was answered by, as GitHub's description names it; '' for none. */
  route: string;
  status: number;
  body: unknown;
}

export type GithubServer = Awaited<ReturnType<typeof startGithubServer>>;

type Route = { name: string; method: string; pattern: RegExp; handler: Handler };

function compile([name, handler]: [string, Handler]): Route {
  const [method, path] = name.split(' ') as [string, string];
  const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, '([^/]+)')}$`);
  return { name, method, pattern, handler };
}

// The first that fits: `/issues/comments` comes before an issue's number.
const ROUTES = Object.entries({
  ...ACCOUNT_ROUTES,
  ...COMMENT_ROUTES,
  ...ISSUE_ROUTES,
  ...RELATION_ROUTES,
  ...PULL_ROUTES,
}).map(compile);
const ROUTES_OF_APPS = Object.entries(APP_ROUTES).map(compile);

type Asker = { viewer: StoredUser; access: Access; projects: ProjectScope; token: string; isApp: boolean };

function asker(state: ServerState, header: string | undefined): Asker {
  const token = /^(?:token|bearer)\s+(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined) throw new Refused(401, 'Requires authentication');
  if (isAppToken(state, token)) {
    const viewer: StoredUser = { id: 1, login: state.app!.slug, type: 'Bot' };
    return { viewer, access: 'read', projects: 'none', token, isApp: true };
  }
  const known = state.tokens.get(token);
  const viewer = known && state.users.get(known.login.toLowerCase());
  if (!known || !viewer) throw new Refused(401, 'Bad credentials');
  return { viewer, access: known.access, projects: known.projects ?? 'project', token, isApp: false };
}

function route(routes: readonly Route[], method: string, path: string): { route: Route; parts: string[] } {
  for (const one of routes) {
    const match = one.method === method ? one.pattern.exec(path) : null;
    if (match) return { route: one, parts: match.slice(1).map(decodeURIComponent) };
  }
  throw notFound();
}

/** `/repositories/42/…` is `/repos/acme/web/…` under its lasting name. */
function lastingPath(state: ServerState, path: string): string {
  const match = /^\/repositories\/(\d+)(.*)$/.exec(path);
  if (!match) return path;
  const repo = [...state.repos.values()].find(({ id }) => id === Number(match[1]));
  if (!repo) throw notFound();
  return `/repos/${repo.fullName}${match[2]}`;
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (text === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Refused(400, 'Problems parsing JSON');
  }
}

function etagOf(token: string, body: string): string {
  return `W/"${createHash('sha256').update(`${token}\n${body}`).digest('hex')}"`;
}

async function answer(
  state: ServerState,
  base: string,
  request: IncomingMessage,
  log: Served,
): Promise<Answer> {
  const url = new URL(request.url ?? '/', base);
  const who = asker(state, request.headers.authorization);
  refuseForLimit(state);
  const body = await readJson(request);
  const path = lastingPath(state, url.pathname);
  const found = route(who.isApp ? ROUTES_OF_APPS : ROUTES, log.method, path);
  log.route = found.route.name;
  const shapes = new Shapes(state, base);
  const call: Call = { state, shapes, method: log.method, url, parts: found.parts, body, ...who };
  const given = found.route.handler(call);
  if (log.method !== 'GET' || given.status !== 200 || !state.features.etag) return given;
  const etag = etagOf(who.token, JSON.stringify(given.body) + (given.headers?.link ?? ''));
  const headers = { ...given.headers, etag };
  return request.headers['if-none-match'] === etag ? { status: 304, headers } : { ...given, headers };
}

function send(state: ServerState, response: ServerResponse, given: Answer): void {
  // What was not modified is free.
  if (given.status !== 304 && given.status !== 401) spend(state);
  const text = given.body === undefined ? '' : JSON.stringify(given.body);
  response.writeHead(given.status, {
    date: new Date(state.nowMs).toUTCString(),
    ...(text === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...budgetHeaders(state),
    ...given.headers,
  });
  response.end(text);
}

/** Listens on a free loopback port. */
export async function startGithubServer(features: Partial<Features> = {}) {
  const state = createServerState(features);
  const served: Served[] = [];
  let base = '';
  const server = createServer((request, response) => {
    const { method = '', url: path = '' } = request;
    const log: Served = { method, path, route: '', status: 0, body: null };
    if (log.path.startsWith('/_storage/')) {
      const stored = readStored(state, log.path, request.headers.authorization);
      return void response.writeHead(stored.status).end(stored.body);
    }
    void answer(state, base, request, log)
      .catch((error: unknown) => {
        if (error instanceof Refused) return error.answer;
        return { status: 500, body: { message: String((error as Error).stack) } };
      })
      .then(async (given) => {
        log.status = given.status;
        log.body = given.body ?? null;
        served.push(log);
        if (log.method === 'POST' && state.lostAnswers > 0) {
          state.lostAnswers -= 1;
          return void request.socket.destroy();
        }
        await state.hold?.(log);
        send(state, response, given);
      });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** The API's base, without a slash at its end. */
    url: base,
    state,
    /** Every request answered so far, oldest first. */
    served,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
