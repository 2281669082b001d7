import { tokenShape } from '../../tasks/shapes/turn.ts';
import { operation, text } from '../operation.ts';

export const revokeToken = operation({
  summary: 'make a token open nothing any more',
  needs: 'person',
  http: { method: 'delete', path: '/api/tokens/{name}' },
  cli: { command: 'token revoke', words: ['name'], said: ({ name }) => [`${name} opens nothing any more`] },
  input: () => ({ name: text('its id or name') }),
  output: tokenShape,
  run: async (on, { name }) => (await import('../../tasks/room/tokens.ts')).revokeToken(on, name),
});
