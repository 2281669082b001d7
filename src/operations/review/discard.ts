import { discardedAnswer } from '../../core/review-shapes.ts';
import { operation, ref } from '../operation.ts';

export const discard = operation({
  summary: "remove a task's worktree and branch",
  about:
    'Removes the worktree and the branch of a task, also what was not committed there. All of it is kept for 30 days under a reference of git, which is said. The task itself stays; its next turn begins anew. Refused while a turn runs.',
  needs: 'person',
  cli: {
    asks: 'Discard the worktree and the branch of this task?',
    examples: {
      'taskroom discard "Fix the build"': 'asks first',
      'taskroom discard 3npr --yes': 'does not ask',
    },
    said: ({ branch, repositories }) => [
      `${branch} is discarded`,
      ...repositories.map(({ restore }) => `to get it back within 30 days: ${restore}`),
    ],
  },
  input: () => ({ ref: ref() }),
  output: discardedAnswer,
  async run(on, { ref: word }) {
    const { workspaceTask } = await import('../../tasks/lookup/locate.ts');
    return (await on.ports.review!()).discard((await workspaceTask(on, word)).id);
  },
});
