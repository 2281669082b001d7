import { diffAnswer } from '../../core/review-shapes.ts';
import { flag, operation, optional, ref } from '../operation.ts';

export const diff = operation({
  summary: 'show what a task changed in its worktree',
  about:
    'Shows what the worktree of a task changes against its base: committed, uncommitted and new files. Nothing that an agent wrote runs with it.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/tasks/{ref}/diff' },
  cli: {
    examples: {
      'taskroom diff "Fix the build"': 'through your pager on a terminal: GIT_PAGER, core.pager, PAGER',
      'taskroom diff 3npr --stat': 'only the files',
      'taskroom diff 3npr | git apply': 'take it over without its commits',
    },
  },
  input: () => ({ ref: ref(), stat: optional(flag(), 'only the files and their counts, without lines') }),
  output: diffAnswer,
  async run(on, { ref: word, stat = false }) {
    const { workspaceTask } = await import('../../tasks/lookup/locate.ts');
    return (await on.ports.review!()).diff((await workspaceTask(on, word)).id, stat);
  },
});
