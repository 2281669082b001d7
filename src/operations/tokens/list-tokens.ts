import { tokenShape } from '../../tasks/shapes/turn.ts';
import { operation, z } from '../operation.ts';

export const listTokens = operation({
  summary: 'list the tokens of the room, without their secrets',
  needs: 'person',
  http: { method: 'get', path: '/api/tokens' },
  cli: {
    command: 'token list',
    about: [
      'make tokens for programs and other machines',
      'Makes tokens of the API for programs and other machines, lists them, and revokes them. Your own lies in .taskroom/token.',
    ],
    examples: {
      'taskroom token new laptop --full': 'all that you may do, from another machine',
      'taskroom token new board --readonly': 'for a board on the wall',
      'taskroom token new ci --task 3npr --days 7': 'a build that reports to one task, for a week',
    },
    notes:
      'A token is shown once, when it is made; the ledger holds its hash alone.\nWith --json: {"tokens":[…]}, with new and revoke one of them: {"id","kind","name","access","tasks","agents","created_at","expires_at","used_at"}, with new its "token" too.',
  },
  output: () => ({ tokens: z.array(tokenShape()) }),
  run: async (on) => ({ tokens: (await import('../../tasks/room/tokens.ts')).listTokens(on) }),
});
