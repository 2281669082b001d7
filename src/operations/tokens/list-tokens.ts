import * as z from 'zod';
import { tokenShape } from '../../tasks/shapes/token.ts';
import { operation } from '../operation.ts';

export const listTokens = operation({
  name: 'listTokens',
  summary: 'the tokens of the room, without what they are',
  needs: 'person',
  level: 'full',
  http: { method: 'get', path: '/api/tokens' },
  cli: null,
  tool: null,
  input: () => z.strictObject({}),
  output: () => z.strictObject({ tokens: z.array(tokenShape()) }),
  run: async ({ deps }) => ({ tokens: (await import('../../tasks/tokens/tokens.ts')).listTokens(deps) }),
});
