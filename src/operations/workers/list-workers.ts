import { workersShape } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const listWorkers = operation({
  summary: 'list the workers on other machines',
  about: 'Lists the workers of the room: machines that take its turns, with their slots and what they have.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/workers' },
  cli: { command: 'worker list', aliases: ['workers'] },
  output: workersShape,
  run: async (on) => (await import('../../tasks/views/agents.ts')).readWorkers(on),
});
