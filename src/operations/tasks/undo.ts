import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation, optional, z } from '../operation.ts';

export const undo = operation({
  summary: 'take your last change back',
  about:
    'Takes the last change back that you made, by whatever face: a file says again what it said before, a deleted or archived task comes back, a new one goes; of a command that changed several tasks, all of it. What that replaces is kept in .taskroom/attic/. Refused where a file says something else by now.',
  needs: 'person',
  http: { path: '/api/undo' },
  cli: {
    examples: {
      'taskroom undo': 'once more: the change before',
      'taskroom undo --json': '{"id","name","path","changed","attic"}, with "tasks" where it was several',
    },
    done: ({ attic, status }) =>
      status === undefined
        ? `is taken back; it lies in ${attic}`
        : `is ${status}, as before your change${attic === undefined ? '' : `; what it said lies in ${attic}`}`,
  },
  output: () =>
    changedAnswer().extend({
      tasks: optional(z.array(changedAnswer()), 'all of them, where it was several'),
    }),
  run: async (on, _, actor) => (await import('../../tasks/change/undo.ts')).undoLast(on, actor),
});
