// Tokens for programs: made, listed and revoked by who may do all that the person may.
import * as z from 'zod';
import { RoomError } from '../../../core/errors.ts';
import type { TaskId } from '../../../core/ids.ts';
import { tokenJson } from '../../shapes/token-json.ts';
import { type Exchange, look, route } from '../gate/route.ts';

const text = z.string();

const newToken = z
  .strictObject({
    name: text.meta({ description: 'what it is for' }),
    access: z.enum(['full', 'assistant', 'readonly', 'worker']),
    tasks: z.array(text).optional().meta({ description: 'the only tasks it is for' }),
    agents: z
      .array(text)
      .optional()
      .meta({ description: 'of a worker: the only agents whose turns it may take' }),
    expires_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'NewToken' });

const tokenAnswer = z
  .strictObject({
    id: text,
    kind: z.enum(['own', 'given', 'session']),
    name: text,
    access: z.enum(['full', 'assistant', 'readonly', 'worker']),
    tasks: z.array(text).nullable(),
    agents: z.array(text).nullable(),
    created_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
    used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' });

export const TOKEN_ROUTES = [
  look(
    {
      ...{ path: '/api/tokens', id: 'listTokens', group: 'tokens', needs: 'person' },
      about: 'The tokens of the room, without what they are.',
      ...{ told: 'The tokens.', schema: z.strictObject({ tokens: z.array(tokenAnswer) }) },
    },
    async ({ room }) => ({ tokens: room.api.tokens.list().map(tokenJson) }),
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
    async run(on, { body }) {
      const { name, access, tasks, agents = null, expires_at } = body;
      const { token, row } = on.room.api.tokens.create({
        name,
        access,
        tasks: tasks === undefined ? null : await idsOf(on, tasks),
        agents,
        expiresAt: expires_at === undefined ? null : Date.parse(expires_at),
      });
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
    run: async ({ room }, { params }) => ({ body: tokenJson(room.api.tokens.revoke(params.name)) }),
  }),
];

async function idsOf({ tasks }: Exchange, refs: readonly string[]): Promise<TaskId[]> {
  const ids: TaskId[] = [];
  for (const ref of refs) {
    const { id, name } = await tasks.show(ref);
    if (id === null)
      throw new RoomError('refused', `${name} has no id yet`, { hint: 'try again in a moment' });
    ids.push(id);
  }
  return ids;
}
