import { type Removed, removedAnswer } from '../../tasks/shapes/change.ts';
import { whichTasks } from '../../tasks/shapes/task.ts';
import { type CommandForm, flag, operation, optional, z } from '../operation.ts';

const form: CommandForm<{ tasks: Removed[] }> = {
  command: 'delete',
  words: [],
  flags: { which: null },
  done: ({ changed, attic }) => (changed ? `lies in ${attic}` : 'would go to the attic'),
  asks: 'Delete them?',
};

export const removeAll = operation({
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
  input: () => ({
    which: optional(z.enum(['completed', 'all']), 'those that are over, done or canceled; or open ones too'),
    ...whichTasks(),
    dry_run: optional(flag(), 'only say what would go'),
  }),
  output: () => ({ tasks: z.array(removedAnswer()) }),
  async run(on, { which, dry_run, ...filter }, actor) {
    const { removeAll } = await import('../../tasks/bulk/bulk-tasks.ts');
    return { tasks: await removeAll(on, which, filter, actor, dry_run) };
  },
});
