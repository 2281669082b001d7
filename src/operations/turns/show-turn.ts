import { turnAnswer, turnRef } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const showTurn = operation({
  summary: 'show one turn',
  needs: 'read',
  http: { method: 'get', path: '/api/turns/{turn}' },
  input: () => ({ turn: turnRef() }),
  output: turnAnswer,
  run: async (on, { turn }) => (await import('../../tasks/turns/turn-records.ts')).findTurn(on, turn),
});
