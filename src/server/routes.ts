// Every route that asks for a token. Of two that fit an address the first one has it.
import * as z from 'zod';
import { type Route, route } from './gate/route.ts';
import { openApiDocument } from './open-api.ts';
import { DECLARED_ROUTES } from './routes/declared-routes.ts';
import { FOLLOW_TURN } from './routes/follow-turn.ts';
import { MCP_ROUTES } from './routes/mcp-route.ts';
import { ROOM_ROUTES } from './routes/room-routes.ts';
import { WORKER_ROUTES } from './routes/worker-routes.ts';

const DOCUMENT = route({
  method: 'get',
  path: '/api/openapi.json',
  id: 'document',
  about: 'This document.',
  group: 'room',
  needs: 'look',
  answers: { 200: { about: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
  run: async ({ room }) => ({ body: document(room.programVersion) }),
});

const hasPlace = ({ path }: Route) => path.includes(':');

/** Those at a fixed address first. */
export const ROUTES: readonly Route[] = [
  ...DECLARED_ROUTES,
  FOLLOW_TURN,
  ...ROOM_ROUTES,
  ...WORKER_ROUTES,
  ...MCP_ROUTES,
  DOCUMENT,
].sort((a, b) => Number(hasPlace(a)) - Number(hasPlace(b)));

let made: string | null = null;

/** As JSON; made when it is first asked for. */
function document(version: string): string {
  made ??= JSON.stringify(openApiDocument(ROUTES, version));
  return made;
}
