// The Model Context Protocol at /mcp: the caller is an assistant, whatever token it holds.
import { RoomError } from '../../../core/errors.ts';
import { isAgent } from '../../../tasks/task-room.ts';
import { MAX_BODY_BYTES } from '../gate/input.ts';
import { HttpFault } from '../gate/problem.ts';
import { type Route, route } from '../gate/route.ts';

export const MCP_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/mcp',
    id: 'mcp',
    about:
      'The Model Context Protocol over streamable HTTP: the tools that agents have, for an assistant of the person.',
    group: 'mcp',
    needs: 'look',
    answers: { 200: { about: 'As the protocol says.', media: 'application/json' } },
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
