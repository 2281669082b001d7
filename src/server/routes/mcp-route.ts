// The Model Context Protocol at /mcp: the caller is an assistant, whatever token it holds.
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';
import { isAgent } from '../../tasks/task-room.ts';
import { MAX_BODY_BYTES } from '../gate/input.ts';
import { HttpFault } from '../gate/problem.ts';
import { type Route, route } from '../gate/route.ts';

/** As JSON-RPC says that it refuses a message. */
const refusal = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  })
  .meta({ id: 'McpRefusal' });

export const MCP_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/mcp',
    id: 'mcp',
    about:
      'The Model Context Protocol over streamable HTTP: the tools that agents have, for an assistant of the person.',
    group: 'mcp',
    needs: 'look',
    answers: {
      200: { about: 'As the protocol says, a JSON-RPC message an event.', media: 'text/event-stream' },
      202: { about: 'It was a notification.' },
      400: { about: 'It is no message of the protocol, or of another version of it.', schema: refusal },
      406: { about: 'The answers are JSON and events: Accept names both.', schema: refusal },
      415: { about: 'It is not said to be JSON.', schema: refusal },
    },
    async run({ room, caller, request }) {
      const { runtime, programVersion: version, mcp, report } = room;
      const { token, actor } = caller;
      if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES)
        throw new HttpFault(413, new RoomError('bad_input', `a body has at most ${MAX_BODY_BYTES} bytes`));
      return mcp(request, {
        ...{ runtime, version, report },
        access: token.access === 'readonly' ? 'minimal' : 'full',
        client: isAgent(actor) && actor.kind === 'assistant' ? actor.client : null,
        maxBytes: MAX_BODY_BYTES,
      });
    },
  }),
];
