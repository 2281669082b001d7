// The server as one function from requests to answers: every request passes the same gate before its route is looked at, and
// every failure leaves by the same door.
import { Hono, type MiddlewareHandler } from 'hono';
import { RoomError } from '../core/errors.ts';
import type { Board } from './board/board.ts';
import { callerOf, tasksOf } from './gate/caller.ts';
import type { Hosts } from './gate/hosts.ts';
import { readInput } from './gate/input.ts';
import { HttpFault, problemResponse } from './gate/problem.ts';
import { assertMayAsk, assertOwnTask } from './gate/rights.ts';
import type { Answer, Route } from './gate/route.ts';
import { OPEN_ROUTES, type OpenRoute } from './open-routes.ts';
import type { Connection, HttpRoom } from './room/http-room.ts';

export type Handle = (request: Request, connection: Connection) => Promise<Response>;

interface Env {
  Bindings: Connection;
  /** Pattern of the route that answers. */
  Variables: { route: string };
}

/** @param report told of what is a bug */
export function createApp(
  room: HttpRoom,
  routes: readonly Route[],
  board: Board,
  hosts: Hosts,
  report: (error: unknown) => void,
): Handle {
  const app = new Hono<Env>();
  app.use(timed(room));
  for (const route of OPEN_ROUTES)
    app.on('GET', route.path, (c) => {
      c.set('route', route.path);
      return runOpen(room, hosts, route, c.req.raw);
    });
  for (const route of routes)
    app.on(route.method.toUpperCase(), route.path, (c) => {
      c.set('route', route.path);
      return run(room, hosts, route, { request: c.req.raw, params: c.req.param(), connection: c.env });
    });
  for (const [path, allowed] of methodsByPath(routes))
    app.all(path, (c) => {
      c.set('route', path);
      assertKnown(room, hosts, c.req.raw);
      throw wrongMethod(c.req.method, allowed);
    });
  app.get('*', async (c, next) => {
    if (isApi(c.req.path)) return next();
    c.set('route', 'board');
    return (await board.answer(room, hosts, c.req.raw)) ?? noSuchAddress(room, hosts, c.req.raw);
  });
  app.notFound((c) => noSuchAddress(room, hosts, c.req.raw));
  app.onError((error) => failed(error, report));
  return async (request, connection) => secured(await app.fetch(request, connection));
}

/** Counts each request, and says how long it took. */
function timed({ metrics, effects }: HttpRoom): MiddlewareHandler<Env> {
  return async (c, next) => {
    const began = effects.monotonicMs();
    await next();
    const tookMs = effects.monotonicMs() - began;
    c.res.headers.set('server-timing', `room;dur=${tookMs.toFixed(2)}`);
    metrics.request(c.req.method, c.get('route') ?? 'none', c.res.status, tookMs);
  };
}

function isApi(path: string): boolean {
  return path.startsWith('/api/') || path === '/mcp' || path === '/metrics';
}

function noSuchAddress(room: HttpRoom, hosts: Hosts, request: Request): never {
  assertKnown(room, hosts, request);
  throw new RoomError('not_found', 'there is no such address', { hint: 'see: /api/openapi.json' });
}

/** Whoever asks for what is not there learns no more than that. */
function assertKnown(room: HttpRoom, hosts: Hosts, { headers }: Request): void {
  const origin = hosts.originOf(headers.get('host'));
  hosts.assertOwnOrigin(headers, origin, false);
  callerOf(room, headers, false);
}

async function runOpen(room: HttpRoom, hosts: Hosts, route: OpenRoute, request: Request): Promise<Response> {
  const origin = hosts.originOf(request.headers.get('host'));
  hosts.assertOwnOrigin(request.headers, origin, true);
  return route.run(room, request, origin);
}

interface Arrived {
  request: Request;
  params: Readonly<Record<string, string>>;
  connection: Connection;
}

async function run(
  room: HttpRoom,
  hosts: Hosts,
  route: Route,
  { request, params, connection }: Arrived,
): Promise<Response> {
  const { headers, signal } = request;
  const origin = hosts.originOf(headers.get('host'));
  const isChange = route.method !== 'get';
  hosts.assertOwnOrigin(headers, origin, false);
  const caller = callerOf(room, headers, isChange);
  room.open.add(caller.token.id, connection);
  assertMayAsk(route, caller);
  const input = await readInput(route, request, params);
  await assertOwnTask(room, route, caller, input);
  const answer = await route.run(
    { room, caller, tasks: tasksOf(room, caller), request, headers, drop: connection.drop, signal, origin },
    input as never,
  );
  const response = answer instanceof Response ? answer : toResponse(answer);
  // Hono drops the body of a GET that was asked as HEAD: a stream would never learn that nobody reads it.
  if (request.method === 'HEAD') await response.body?.cancel();
  return response;
}

function toResponse({ status = 200, body, headers = {} }: Answer): Response {
  if (body === null || status === 204 || status === 304) return new Response(null, { status, headers });
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const said = { 'content-type': 'application/json', 'content-length': `${bytes.length}`, ...headers };
  return new Response(bytes, { status, headers: said });
}

function failed(error: unknown, report: (error: unknown) => void): Response {
  if (!(error instanceof RoomError || error instanceof HttpFault)) report(error);
  return problemResponse(error);
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes)
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  return methods;
}

function wrongMethod(method: string, allowed: readonly string[]): HttpFault {
  const error = new RoomError('bad_input', `${method} is nothing this address takes`, {
    hint: `it takes ${allowed.join(', ')}`,
  });
  return new HttpFault(405, error, { headers: { allow: allowed.join(', ') } });
}

/** What each answer says to a browser: it is not to guess, frame, cache or tell others where it was. */
function secured(response: Response): Response {
  const { headers } = response;
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('x-frame-options', 'DENY');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  headers.set('cross-origin-resource-policy', 'same-origin');
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  return response;
}
