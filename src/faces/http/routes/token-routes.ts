// Tokens for programs: made, listed and revoked by who may do all that the person may.
import * as z from 'zod';
import { tokenJson } from '../../shapes/token-json.ts';
import { TOKEN_ACCESS, tokenAnswer } from '../answers/token-answers.ts';
import { look, route } from '../gate/route.ts';

const text = z.string();

const newToken = z
  .strictObject({
    name: text.meta({ description: 'what it is for' }),
    access: z.enum(TOKEN_ACCESS),
    tasks: z.array(text).optional().meta({ description: 'the only tasks it is for' }),
    agents: z
      .array(text)
      .optional()
      .meta({ description: 'of a worker: the only agents whose turns it may take' }),
    expires_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'NewToken' });

export const TOKEN_ROUTES = [
  look(
    {
      ...{ path: '/api/tokens', id: 'listTokens', group: 'tokens', needs: 'person' },
      about: 'The tokens of the room, without what they are.',
      ...{ told: 'The tokens.', schema: z.strictObject({ tokens: z.array(tokenAnswer) }) },
    },
    async ({ room }) => ({ tokens: (await (await room.runtime.host()).tokens.list()).map(tokenJson) }),
  ),
  route({
    method: 'post',
    path: '/api/tokens',
    id: 'createToken',
    about: 'Makes a token for a program. It is shown in this answer and never again.',
    group: 'tokens',
    needs: 'person',
    body: newToken,
    answers: { 201: { about: 'The token.', schema: tokenAnswer.extend({ token: text }) } },
    async run({ room, caller }, { body }) {
      const { name, access, tasks = null, agents = null, expires_at } = body;
      const expiresAt = expires_at === undefined ? null : Date.parse(expires_at);
      const { tokens } = await room.runtime.host();
      const { token, row } = await tokens.create({ name, access, tasks, agents, expiresAt }, caller.token);
      return { status: 201, body: { ...tokenJson(row), token } };
    },
  }),
  route({
    method: 'delete',
    path: '/api/tokens/:name',
    id: 'revokeToken',
    about: 'From now on it opens nothing.',
    group: 'tokens',
    needs: 'person',
    params: z.strictObject({ name: text.meta({ description: 'its id or name' }) }),
    answers: { 200: { about: 'The token that was.', schema: tokenAnswer } },
    run: async ({ room }, { params }) => ({
      body: tokenJson(await (await room.runtime.host()).tokens.revoke(params.name)),
    }),
  }),
];
