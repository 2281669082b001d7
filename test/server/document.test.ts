// The OpenAPI document that is served: a valid one, and the truth about the routes.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { ROUTES } from '../../src/server/routes.ts';
import { assertAsDocumented } from './documented.ts';
import { room } from './one-room.ts';

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

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null | undefined;
type Schema = Record<string, Json>;

/** Every place below `schema` that says nothing of what stands there, or lets more stand there than it names. */
function* openPlaces(
  schema: Schema,
  all: Schema,
  at: string,
  seen: readonly string[] = [],
): Iterable<string> {
  const { $ref: ref, properties, items, additionalProperties: more, anyOf, oneOf, allOf } = schema;
  if (typeof ref === 'string') {
    const name = ref.split('/').at(-1)!;
    if (!seen.includes(name)) yield* openPlaces(all[name] as Schema, all, at, [...seen, name]);
    return;
  }
  const parts = [anyOf, oneOf, allOf].flatMap((each) => (each ?? []) as Schema[]);
  if (parts.length > 0) {
    for (const part of parts) yield* openPlaces(part, all, at, seen);
    return;
  }
  if (items) yield* openPlaces(items as Schema, all, `${at}[]`, seen);
  for (const [name, each] of Object.entries((properties ?? {}) as Record<string, Schema>))
    yield* openPlaces(each, all, `${at}.${name}`, seen);
  if (
    schema.type === 'object' &&
    more !== false &&
    (more === undefined || Object.keys(more as Schema).length === 0)
  )
    yield at;
  else if (typeof more === 'object' && more !== null) yield* openPlaces(more as Schema, all, `${at}{}`, seen);
  const { description: _, ...rest } = schema;
  if (Object.keys(rest).length === 0) yield at;
}

test('every answer is told field by field, but for what is as others wrote it', async () => {
  const { body } = await room.ask('GET', '/api/openapi.json');
  const { paths, components } = body as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, Schema> }>>;
    components: { schemas: Schema };
  };
  const open = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => !operationId.startsWith('operation_'))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, { content }]) => Object.entries((content ?? {}) as Record<string, { schema: Schema }>))
        .filter(([media]) => media === 'application/json')
        .flatMap(([, { schema }]) => [...openPlaces(schema, components.schemas, operationId)]),
    );
  expect([...new Set(open)].sort()).toEqual([
    ...['claimTurn.agent', 'claimTurn.context', 'context.context', 'document', 'history.history[].task'],
    ...['reportTurn.answers[].answer.result', 'reportTurn.answers[].result', 'workerHello.agents[]'],
  ]);
});

test('a field that the document does not name fails the tests that see it', () => {
  const answer = { id: null, name: 'One', path: 'tasks/One.md', changed: true };
  expect(() => assertAsDocumented('POST', '/api/tasks/One/pause', 200, answer)).not.toThrow();
  const more = { ...answer, colour: 'red' };
  expect(() => assertAsDocumented('POST', '/api/tasks/One/pause', 200, more)).toThrow(/colour/);
  expect(() => assertAsDocumented('POST', '/api/tasks/One/pause', 201, answer)).toThrow(/no 201/);
});
