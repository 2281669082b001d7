import * as z from 'zod';
import { instant, text } from '../../core/shapes.ts';
import { tokenAccess, tokenShape } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const createToken = operation({
  name: 'createToken',
  summary: 'make a token for a program',
  about: 'It is shown in this answer and never again.',
  needs: 'person',
  http: { method: 'post', path: '/api/tokens', status: 201 },
  input: () =>
    z.strictObject({
      name: text().meta({ description: 'what it is for' }),
      access: tokenAccess(),
      tasks: z.array(text()).exactOptional().meta({ description: 'the only tasks it is for' }),
      agents: z
        .array(text())
        .exactOptional()
        .meta({ description: 'of a worker: the only agents whose turns it may take' }),
      expires_at: instant().exactOptional(),
    }),
  output: () => tokenShape().extend({ token: text() }),
  run: async (on, wish, actor) => (await import('../../tasks/tokens/tokens.ts')).createToken(on, wish, actor),
});
