import { changedAnswer } from '../../tasks/shapes/change.ts';
import { whichTasks } from '../../tasks/shapes/task.ts';
import { operation, z } from '../operation.ts';

export const completeAll = operation({
  summary: 'finish every todo and doing task that fits',
  about: 'All of them or none; for an agent in a turn those below its own task.',
  needs: 'write',
  level: 'full',
  http: { method: 'post', path: '/api/tasks/complete', also: '/api/scopes/{scope}/complete' },
  cli: {
    command: 'done',
    flag: ['all', 'every todo and doing task, or those that fit the options below'],
    done: 'is done',
  },
  input: whichTasks,
  output: () => ({ tasks: z.array(changedAnswer()) }),
  run: async (on, filter, actor) => ({
    tasks: await (await import('../../tasks/bulk/bulk-tasks.ts')).completeAll(on, filter, actor),
  }),
});
