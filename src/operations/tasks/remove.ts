import { removedAnswer } from '../../tasks/shapes/change.ts';
import { operation, ref } from '../operation.ts';

export const remove = operation({
  summary: 'move a task to the attic',
  about:
    'Takes a task away, and its local subtasks with it: their files move to .taskroom/attic/, where they can be fetched back from.',
  needs: 'write',
  level: 'full',
  http: { method: 'delete', path: '/api/tasks/{ref}' },
  cli: {
    command: 'delete',
    words: ['ref...'],
    examples: {
      'taskroom delete "Fix the build"': 'take it away and say where it lies',
      'taskroom delete --completed --sprint 12': 'every finished task of a sprint, all or none of them',
      'taskroom delete --all --scope spike': 'every task of a scope',
    },
    notes:
      '--scope completed and --scope all alone are the same as --completed and --all, where no scope has that name. With --json: {"id","name","path","changed","attic"}, with "subtasks" where some went along; of many {"tasks":[…]}.',
    done: ({ attic }) => `lies in ${attic}`,
  },
  tool: { name: 'delete_task', about: 'Take a task out of the room.', names: { ref: 'id' }, needed: ['ref'] },
  input: () => ({ ref: ref() }),
  output: removedAnswer,
  run: async (on, { ref: task }, actor) =>
    (await import('../../tasks/change/remove-task.ts')).removeTask(on, task, actor),
});
