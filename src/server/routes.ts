// Every route that needs a token: those of the operations, and a few others. The first route that fits an address answers.
import { ReadableStream } from 'node:stream/web';
import * as z from 'zod';
import { WORKER_CALLS, type WorkerCall } from '../app/worker-protocol.ts';
import { RoomError } from '../core/errors.ts';
import type { AgentEvent } from '../core/rules/turn.ts';
import { inSteps } from '../remote/remote-client.ts';
import { type OutputJson, turnRef } from '../tasks/shapes/turn.ts';
import { isAgent } from '../tasks/task-room.ts';
import { taskOfTurn } from './middleware/caller.ts';
import { assertFits, MAX_BODY_BYTES } from './middleware/input.ts';
import { type Exchange, type Route, route } from './middleware/route.ts';
import { openApiDocument } from './open-api.ts';
import { BUFFER_SIZE, streamEvents } from './room/event-buffer.ts';
import { OPERATION_ROUTES } from './routes/operation-routes.ts';

const text = z.string();

const EVENTS = route({
  ...{ method: 'get', path: '/api/events', id: 'followEvents', group: 'room', needs: 'look' },
  about: `What happens in the room, as server-sent events: types and data as \`taskroom up --json\` prints them. The last ${BUFFER_SIZE} are kept: with Last-Event-ID a reader goes on after the one it saw last; where that is gone, \`event: reset\` comes first, and the reader looks at everything anew.`,
  query: z.strictObject({
    types: text
      .optional()
      .meta({ description: 'only these, with commas between; `turn.*` for all of turns' }),
  }),
  headers: { 'last-event-id': 'goes on after that one' },
  answers: { 200: { about: 'The events.', media: 'text/event-stream' } },
  run: async (on, { query }) => followEvents(on, query.types),
});

const CHUNK_BYTES = 64 * 1024;

const FOLLOW_TURN = route({
  ...{ method: 'get', path: '/api/turns/:turn/follow', id: 'followTurn', group: 'turns', needs: 'look' },
  about:
    'What a turn prints, as it comes, until it ends. With `form=events` what its agent said, called and used: one JSON object a line.',
  params: z.strictObject({ turn: turnRef() }),
  task: ({ params }, room) => taskOfTurn(room, params.turn),
  query: z.strictObject({
    offset: z.coerce.number().int().min(0).optional(),
    form: z.enum(['text', 'events']).optional(),
  }),
  answers: { 200: { about: 'The output, as text.', media: 'text/plain' } },
  async run(on, { params, query: { offset = 0, form = 'text' } }) {
    const asked = { ...params, offset: Number.MAX_SAFE_INTEGER };
    const { turn: id, format } = await on.tasks.call('turnOutput', asked, on.caller.actor);
    const output = outputOf(on, id, offset);
    const body = form === 'text' ? output : eventLines(on, format, output);
    return new Response(ReadableStream.from(body).pipeThrough(new TextEncoderStream()) as never, {
      headers: {
        'content-type': form === 'text' ? 'text/plain; charset=utf-8' : 'application/x-ndjson',
        'x-accel-buffering': 'no',
      },
    });
  },
});

/** Ends with the turn, or when the caller is gone. */
async function* outputOf({ tasks, caller, room, signal }: Exchange, turn: string, from: number) {
  const gone = AbortSignal.any([signal, room.closing]);
  const ask = (input: object) => tasks.call('turnOutput', input as never, caller.actor);
  for (let offset = from; ; ) {
    const asked = { turn, offset, limit: CHUNK_BYTES, wait: Number.POSITIVE_INFINITY };
    const { text, next } = (await inSteps(asked, ask, gone)) as OutputJson;
    if (text === '') return;
    offset = next;
    yield text;
  }
}

/** Events of the agent, read from its output; texts where its format is unknown. */
async function* eventLines({ room }: Exchange, format: string | null, output: AsyncIterable<string>) {
  const { readerOf } = await import('../app/agents/output-reader.ts');
  const reader = readerOf(format as never, room.effects);
  const lines = (events: readonly AgentEvent[]) =>
    events.map((event) => `${JSON.stringify(event)}\n`).join('');
  for await (const text of output) yield lines(reader?.read(text) ?? [{ type: 'text', text, partial: true }]);
  yield lines(reader?.end() ?? []);
}

const METRICS = route({
  ...{ method: 'get', path: '/metrics', id: 'metrics', group: 'room', needs: 'look' },
  about: 'Figures of the room for Prometheus.',
  answers: { 200: { about: 'The figures.', media: 'text/plain' } },
  run: async ({ room: { metrics } }) =>
    new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
});

const LINK = route({
  ...{ method: 'post', path: '/api/links', id: 'createLink', group: 'room', needs: 'person' },
  about: 'A link that opens the room in a browser: it works once, for five minutes.',
  answers: {
    201: { about: 'The link.', schema: z.strictObject({ url: text, expires_at: z.iso.datetime() }) },
  },
  async run({ room, origin }) {
    const { key, expiresAt } = room.links.create();
    // Under the address by which the caller reached us.
    const body = { url: `${origin}/open?key=${key}`, expires_at: new Date(expiresAt).toISOString() };
    return { status: 201, body };
  },
});

const refusal = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([text, z.number(), z.null()]),
    error: z.looseObject({ code: z.int(), message: text }),
  })
  .meta({ id: 'McpRefusal' });

/** The caller is an assistant, whatever its token is. */
const MCP = route({
  ...{ method: 'post', path: '/mcp', id: 'mcp', group: 'mcp', needs: 'look' },
  about:
    'The Model Context Protocol over streamable HTTP: the tools that agents have, for an assistant of the person.',
  answers: {
    200: { about: 'As the protocol says, a JSON-RPC message an event.', media: 'text/event-stream' },
    202: { about: 'It was a notification.' },
    400: { about: 'It is no message of the protocol, or of another version of it.', schema: refusal },
    406: { about: 'The answers are JSON and events: Accept names both.', schema: refusal },
    415: { about: 'It is not said to be JSON.', schema: refusal },
  },
  async run({ room, caller, request }) {
    const { runtime, programVersion, mcp, report, effects, version, closing } = room;
    const { token, actor } = caller;
    assertFits(Number(request.headers.get('content-length') ?? 0));
    return mcp(request, {
      ...{ runtime, version: programVersion, report, maxBytes: MAX_BODY_BYTES },
      ...{ effects, heard: version, closing },
      access: token.access === 'readonly' ? 'minimal' : 'full',
      client: isAgent(actor) && actor.kind === 'assistant' ? actor.client : null,
    });
  },
});

/** The calls of the workers' protocol, for their tokens only. */
const WORKER_ROUTES = Object.entries(WORKER_CALLS).map(([name, { path, id, about, body, returns, answer }]) =>
  route({
    ...{ method: 'post', path, id, about, group: 'workers', needs: 'worker' },
    body: body as z.ZodType<object>,
    ...(path.includes(':turn') && { params: z.strictObject({ turn: text }) }),
    answers: { 200: { about: returns, schema: answer } },
    async run({ room, caller: { token }, signal }, { params, body: given }) {
      const { workers, programVersion: hostVersion, closing } = room;
      const hint = 'name a queue in its room.yaml, and start it again: docs/scaling.md';
      if (workers === null) throw new RoomError('refused', 'this room runs its turns itself', hint);
      const by = { token, hostVersion, signal: AbortSignal.any([signal, closing]) };
      return { body: await workers[name as WorkerCall](by, { ...given, ...params } as never) };
    },
  }),
);

let document: string | undefined;

const DOCUMENT = route({
  ...{ method: 'get', path: '/api/openapi.json', id: 'document', group: 'room', needs: 'look' },
  about: 'This document.',
  answers: { 200: { about: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
  async run({ room }) {
    document ??= JSON.stringify(openApiDocument(ROUTES, room.programVersion));
    return { body: document };
  },
});

const hasPlace = ({ path }: Route) => path.includes(':');

/** Fixed addresses come first. */
export const ROUTES: readonly Route[] = [
  ...[...OPERATION_ROUTES, FOLLOW_TURN, EVENTS, METRICS, LINK],
  ...[...WORKER_ROUTES, MCP, DOCUMENT],
].sort((a, b) => Number(hasPlace(a)) - Number(hasPlace(b)));

function followEvents({ room, headers, signal, drop }: Exchange, types: string | undefined): Response {
  const { metrics, events, effects, closing } = room;
  const wanted = (types ?? '').split(',').flatMap((each) => each.trim() || []);
  const isWanted = (type: string) =>
    wanted.some((each) => (each.endsWith('*') ? type.startsWith(each.slice(0, -1)) : each === type));
  metrics.readers(1);
  const stream = streamEvents(events, effects, {
    lastId: headers.get('last-event-id'),
    wants: (type) => wanted.length === 0 || isWanted(type),
    signal: AbortSignal.any([signal, closing]),
    onSlow() {
      metrics.readerDropped();
      drop();
    },
    onLeave: () => metrics.readers(-1),
  });
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  });
}
