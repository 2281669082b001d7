// The OpenAPI 3.1 document of the API, made from the routes.
import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERROR_CODES } from '../core/errors.ts';
import type { AnswerSpec, Route } from './middleware/route.ts';
import { OPEN_ROUTES, type OpenRoute } from './open-routes.ts';

const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(ERROR_CODES),
    detail: z.string(),
    hint: z.string().optional(),
    problems: z.array(z.looseObject({})).optional(),
    retry_after_ms: z.number().optional(),
  })
  .meta({
    id: 'Failure',
    description: 'What went wrong (RFC 9457); `code` is the same as of the command line.',
  });

const FAILED = { description: 'It failed.', content: { 'application/problem+json': { schema: problem } } };

export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const add = (path: string, operation: Record<string, ZodOpenApiOperationObject>) => {
    const written = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[written] = { ...paths[written], ...operation };
  };
  for (const route of routes) add(route.path, { [route.method]: operationOf(route) });
  for (const route of OPEN_ROUTES) add(route.path, { get: openOperationOf(route) });
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'taskroom',
      version,
      description: 'The API of one room. Everything but /healthz, /readyz and /open asks for a token.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ token: [] }, { session: [] }],
    components: {
      securitySchemes: {
        token: {
          ...{ type: 'http', scheme: 'bearer' },
          description: 'what lies in .taskroom/token, or taskroom token new',
        },
        session: {
          ...{ type: 'apiKey', in: 'cookie', name: 'taskroom-ROOM' },
          description: 'set by a one-time link',
        },
      },
    },
    paths: paths as ZodOpenApiPathsObject,
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { params, query, headers, body } = route;
  const described = (description: string) => z.string().optional().meta({ description });
  const heeded = Object.entries(headers ?? {}).map(([name, about]) => [name, described(about)]);
  return {
    operationId: route.id,
    summary: route.about,
    tags: [route.group],
    requestParams: {
      ...(params && { path: params as z.ZodObject }),
      ...(query && { query: query as z.ZodObject }),
      ...(heeded.length > 0 && { header: z.object(Object.fromEntries(heeded)) }),
    },
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, each]) => [status, answerOf(each, +status)]),
      ),
      default: FAILED,
    },
  };
}

function answerOf({ about, schema, media = 'application/json' }: AnswerSpec, status: number) {
  if (status >= 400 && schema === undefined) return { ...FAILED, description: about };
  const said = schema ?? (media === 'application/json' ? null : z.string());
  // Every route may also fail in the checks that all requests pass.
  const more = status >= 400 ? FAILED.content : {};
  return { description: about, ...(said && { content: { [media]: { schema: said }, ...more } }) };
}

const openOperationOf = ({ about, answers, path }: OpenRoute): ZodOpenApiOperationObject => ({
  operationId: path.slice(1),
  summary: about,
  tags: ['room'],
  security: [],
  ...(path === '/open' && { requestParams: { query: z.object({ key: z.string() }) } }),
  responses: Object.fromEntries(
    Object.entries(answers).map(([status, description]) => [status, { description }]),
  ),
});
