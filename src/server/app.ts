// The server as one function from requests to answers. Every request passes the same checks, and every failure has the same form.
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { RoomError } from '../core/errors.ts';
import type { Board } from './board/board.ts';
import { assertMayAsk, assertOwnTask, callerOf, tasksOf } from './middleware/caller.ts';
import type { Hosts } from './middleware/hosts.ts';
import { readInput } from './middleware/input.ts';
import { HttpFault, problemResponse } from './middleware/problem.ts';
import type { Answer, Caller, Route } from './middleware/route.ts';
import { OPEN_ROUTES } from './open-routes.ts';
import type { Connection, Handle, HttpRoom } from './room/http-room.ts';
import { answerWebhook } from './webhooks.ts';

interface Env {
  Bindings: Connection;
  Variables: { route: string }; // Pattern of the route that answers.
}

/** @param report gets each bug */
export function createApp(
  room: HttpRoom,
  routes: readonly Route[],
  board: Board,
  hosts: Hosts,
  report: (error: unknown) => void,
): Handle {
  const app = new Hono<Env>();
  const enter = (c: Context<Env>, route: string, isNavigation: boolean): string => {
    c.set('route', route);
    const { headers } = c.req.raw;
    const origin = hosts.originOf(headers.get('host'));
    hosts.assertOwnOrigin(headers, origin, isNavigation);
    return origin;
  };
  /** A caller without a token learns nothing more. */
  const assertKnown = (c: Context<Env>, route: string) => {
    enter(c, route, false);
    callerOf(room, c.req.raw.headers, false);
  };
  app.use(measured(room), SECURED);
  for (const { path, run } of OPEN_ROUTES) app.get(path, (c) => run(room, c.req.raw, enter(c, path, true)));
  const { webhooks } = room;
  if (webhooks !== null)
    app.all('/hooks/*', (c) => {
      enter(c, '/hooks', false);
      return answerWebhook(webhooks, c.req.raw, report);
    });
  for (const route of routes)
    app.on(route.method.toUpperCase(), route.path, async (c) => {
      const origin = enter(c, route.path, false);
      const caller = callerOf(room, c.req.raw.headers, route.method !== 'get');
      room.open.add(caller.token.id, c.env);
      assertMayAsk(route, caller);
      return run(room, route, c, caller, origin);
    });
  for (const [path, some] of Map.groupBy(routes, ({ path }) => path))
    app.all(path, (c) => {
      assertKnown(c, path);
      const allow = some.map(({ method }) => method.toUpperCase()).join(', ');
      throw new HttpFault(405, 'bad_input', `${c.req.method} is nothing this address takes`, {
        ...{ hint: `it takes ${allow}`, headers: { allow } },
      });
    });
  app.all('*', async (c) => {
    if (['GET', 'HEAD'].includes(c.req.method) && !/^\/(api\/|(mcp|metrics)$)/.test(c.req.path)) {
      c.set('route', 'board');
      const answer = await board.answer(room, hosts, c.req.raw);
      if (answer !== null) return answer;
    }
    assertKnown(c, c.get('route') ?? 'none');
    throw new RoomError('not_found', 'there is no such address', { hint: 'see: /api/openapi.json' });
  });
  app.onError((error) => {
    if (!(error instanceof RoomError)) report(error);
    return problemResponse(error);
  });
  return async (request, connection) => app.fetch(request, connection);
}

const SECURED = secureHeaders({
  ...{ overwrite: false, xFrameOptions: 'DENY', strictTransportSecurity: false, originAgentCluster: false },
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
});

/** Counts each request, and says how long it took. */
function measured({ metrics, effects }: HttpRoom): MiddlewareHandler<Env> {
  return async (c, next) => {
    const began = effects.monotonicMs();
    await next();
    const tookMs = effects.monotonicMs() - began;
    const { headers, status } = c.res;
    headers.set('server-timing', `room;dur=${tookMs.toFixed(2)}`);
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    metrics.request(c.req.method, c.get('route'), status, tookMs);
  };
}

async function run(room: HttpRoom, route: Route, c: Context<Env>, caller: Caller, origin: string) {
  const { drop } = c.env;
  const request = c.req.raw;
  const { headers, signal } = request;
  const input = await readInput(route, request, c.req.param());
  await assertOwnTask(room, route, caller, input);
  const on = { room, caller, tasks: tasksOf(room, caller), request, headers, drop, signal, origin };
  const answer = await route.run(on, input as never);
  const response = answer instanceof Response ? answer : toResponse(answer);
  // Hono drops the body of an answer to HEAD: its stream would never end.
  if (c.req.method === 'HEAD') await response.body?.cancel();
  return response;
}

function toResponse({ status = 200, body, headers = {} }: Answer): Response {
  if (body === null || status === 204 || status === 304) return new Response(null, { status, headers });
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': `${bytes.length}`, ...headers },
  });
}
