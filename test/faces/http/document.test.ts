// The OpenAPI document that is served: a valid one, and the truth about the routes.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../src/faces/http/routes.ts';
import { type ServedRoom, serveRoom } from './served-room.ts';

let room: ServedRoom;
beforeAll(async () => {
  room = await serveRoom();
});
afterAll(() => room.close());

test('it is valid OpenAPI 3.1', async () => {
  const { status, body } = await room.ask('GET', '/api/openapi.json');
  expect(status).toBe(200);
  const validator = new Validator();
  expect(await validator.validate(structuredClone(body) as Record<string, unknown>)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('it has every route, each once, by an id of its own', async () => {
  const { body } = await room.ask('GET', '/api/openapi.json');
  const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> };
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  );
  for (const { method, path, id } of ROUTES)
    expect(told).toContain(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')} ${id}`);
  expect(told.length).toBe(ROUTES.length + 3);
  const ids = told.map((each) => each.split(' ')[2]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('what needs no token says so, and nothing else does', async () => {
  const { body } = await room.ask('GET', '/api/openapi.json');
  const { paths, security } = body as {
    paths: Record<string, Record<string, { security?: unknown[] }>>;
    security: unknown[];
  };
  expect(security).not.toEqual([]);
  const open = Object.entries(paths).filter(([, methods]) =>
    Object.values(methods).some((each) => each.security?.length === 0),
  );
  expect(open.map(([path]) => path).sort()).toEqual(['/healthz', '/open', '/readyz']);
});
