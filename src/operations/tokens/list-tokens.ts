import * as z from 'zod';
import { tokenShape } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const listTokens = operation({
  name: 'listTokens',
  summary: 'the tokens of the room, without what they are',
  needs: 'person',
  http: { method: 'get', path: '/api/tokens' },
  output: () => z.strictObject({ tokens: z.array(tokenShape()) }),
  run: async ({ deps }) => ({ tokens: (await import('../../tasks/tokens/tokens.ts')).listTokens(deps) }),
});
