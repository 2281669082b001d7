import * as z from 'zod';
import { type Removed, removedAnswer } from '../../tasks/shapes/change.ts';
import { WHICH_FLAGS, whichTasks } from '../../tasks/shapes/list.ts';
import { type CommandForm, operation } from '../operation.ts';

const form: CommandForm<{ tasks: Removed[] }> = {
  command: 'delete',
  words: [],
  flags: { ...WHICH_FLAGS, which: null },
  done: ({ attic }) => `lies in ${attic}`,
};

export const removeAll = operation({
  name: 'removeAll',
  summary: 'move every task that fits to the attic',
  about: 'All of them or none; takes no subtask along that does not fit itself.',
  needs: 'write',
  level: 'full',
  http: { method: 'delete', path: '/api/tasks', also: '/api/scopes/{scope}/tasks' },
  cli: [
    {
      ...form,
      flag: ['completed', 'every done or canceled task, or those that fit the options below'],
      given: { which: 'completed' },
    },
    { ...form, flag: ['all', 'open ones too'], given: { which: 'all' } },
    { ...form, flag: ['scope'] },
  ],
  input: () =>
    z.strictObject({
      which: z
        .enum(['completed', 'all'])
        .exactOptional()
        .meta({ description: 'those that are over, done or canceled; or open ones too' }),
      ...whichTasks(),
    }),
  output: () => z.strictObject({ tasks: z.array(removedAnswer()) }),
  run: async (on, { which, ...filter }, actor) => ({
    tasks: await (await import('../../tasks/bulk/change-all.ts')).removeAll(on, which, filter, actor),
  }),
});
