// The server as one function from requests to answers: every request passes the same gate before its route is looked at, and
// every failure leaves by the same door.
import { Hono } from 'hono';
import { RoomError } from '../../core/errors.ts';
import type { Board } from './board/board.ts';
import { callerOf, tasksOf } from './gate/caller.ts';
import type { Hosts } from './gate/hosts.ts';
import { readInput } from './gate/input.ts';
import { HttpFault, problemResponse } from './gate/problem.ts';
import { assertMayAsk, assertOwnTask } from './gate/rights.ts';
import type { Answer, Route } from './gate/route.ts';
import { OPEN_ROUTES, type OpenRoute } from './open-routes.ts';
import type { HttpRoom } from './room/http-room.ts';
import type { Connection } from './room/open-requests.ts';

export type Handle = (request: Request, connection: Connection) => Promise<Response>;

interface Env {
  Bindings: Connection;
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
  for (const route of OPEN_ROUTES)
    app.on('GET', route.path, (c) =>
      timed(room, c.req.raw, route.path, () => runOpen(room, hosts, route, c.req.raw)),
    );
  for (const route of routes)
    app.on(route.method.toUpperCase(), route.path, (c) =>
      timed(room, c.req.raw, route.path, () =>
        run(room, hosts, route, { request: c.req.raw, params: c.req.param(), connection: c.env }),
      ),
    );
  const methods = methodsByPath(routes);
  for (const [path, allowed] of methods)
    app.all(path, (c) =>
      timed(room, c.req.raw, path, async () => {
        assertKnown(room, hosts, c.req.raw);
        throw wrongMethod(c.req.method, allowed);
      }),
    );
  app.get('*', (c, next) =>
    isApi(c.req.path)
      ? next()
      : timed(room, c.req.raw, 'board', async () => {
          const answer = await board.answer(room, hosts, c.req.raw);
          if (answer !== null) return answer;
          assertKnown(room, hosts, c.req.raw);
          throw noSuchAddress();
        }),
  );
  app.notFound((c) =>
    timed(room, c.req.raw, 'none', async () => {
      assertKnown(room, hosts, c.req.raw);
      throw noSuchAddress();
    }),
  );
  app.onError((error) => failed(error, report));
  return async (request, connection) => secured(await app.fetch(request, connection));
}

function isApi(path: string): boolean {
  return path.startsWith('/api/') || path === '/mcp' || path === '/metrics';
}

function noSuchAddress(): RoomError {
  return new RoomError('not_found', 'there is no such address', { hint: 'see: /api/openapi.json' });
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

async function timed(
  { metrics, effects }: HttpRoom,
  { method }: Request,
  path: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  const began = effects.monotonicMs();
  let status = 500;
  try {
    const response = await answer();
    ({ status } = response);
    const tookMs = effects.monotonicMs() - began;
    response.headers.set('server-timing', `room;dur=${tookMs.toFixed(2)}`);
    return response;
  } catch (error) {
    ({ status } = problemResponse(error));
    throw error;
  } finally {
    metrics.request(method, path, status, effects.monotonicMs() - began);
  }
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
