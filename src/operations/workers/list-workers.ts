import { workersShape } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const listWorkers = operation({
  summary: 'list the workers on other machines',
  about: 'Lists the workers of the room: machines that take its turns, with their slots and what they have.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/workers' },
  cli: {
    command: 'workers',
    examples: [
      ['taskroom workers', 'who lives, and what each runs'],
      ['taskroom workers --json', 'the same for a program'],
    ],
    notes:
      'With --json: {"workers":[{"id","name","version","slots","agents","live","turns","trouble","started_at","seen_at"}],"places","unserved"}. A worker that was not seen for a day is forgotten. What its token may do: taskroom token list.',
  },
  output: workersShape,
  run: async ({ deps }) => (await import('../../tasks/views/read-workers.ts')).readWorkers(deps),
});
