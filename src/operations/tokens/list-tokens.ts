import * as z from 'zod';
import { tokenShape } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const listTokens = operation({
  name: 'listTokens',
  summary: 'the tokens of the room, without what they are',
  needs: 'person',
  http: { method: 'get', path: '/api/tokens' },
  cli: {
    command: 'token list',
    words: [],
    notes:
      'A token is shown once, when it is made; the ledger holds its hash alone.\nWith --json: {"tokens":[…]}, with new and revoke one of them: {"id","kind","name","access","tasks","agents","created_at","expires_at","used_at"}, with new its "token" too.',
  },
  output: () => z.strictObject({ tokens: z.array(tokenShape()) }),
  run: async ({ deps }) => ({ tokens: (await import('../../tasks/room/tokens.ts')).listTokens(deps) }),
});
