import { operation } from '../operation.ts';

export const undo = operation({
  summary: 'take your last change back',
  about:
    'Takes the last change back that you made to a task, by whatever face: its file says again what it said before, a deleted task comes back, a new one goes. What that replaces is kept in .taskroom/attic/. Refused where the file says something else by now.',
  needs: 'person',
  http: { path: '/api/undo' },
  cli: {
    examples: [
      ['taskroom undo', 'once more: the change before'],
      ['taskroom undo --json', '{"id","name","path","changed","attic"}'],
    ],
    done: ({ attic, status }) =>
      status === undefined
        ? `is taken back; it lies in ${attic}`
        : `is ${status}, as before your change${attic === undefined ? '' : `; what it said lies in ${attic}`}`,
  },
  run: async (on, _, actor) => (await import('../../tasks/change/undo.ts')).undoLast(on, actor),
});
