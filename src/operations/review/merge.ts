import { mergedAnswer } from '../../core/review-shapes.ts';
import { operation, ref } from '../operation.ts';

export const merge = operation({
  summary: "merge a task's branch into its project",
  about:
    'Merges the branch of a task into the branch that is checked out in its project, as `merge` in room.yaml says. Refused while a turn runs, where something is not committed, and where both sides changed the same, in any of its repositories: nothing is changed then. The branch stays until the task is archived.',
  needs: 'person',
  cli: {
    examples: {
      'taskroom merge "Fix the build"': 'take its work over',
      'taskroom merge 3npr --json': 'and print into which branch, at which commit',
    },
    said: ({ branch, repositories }) =>
      repositories.map(({ repository, into, commit, changed }) => {
        const of = repository === '' ? into : `${into} of ${repository}`;
        return changed
          ? `${branch} is merged into ${of} at ${commit.slice(0, 10)}`
          : `${branch} is part of ${of}`;
      }),
  },
  input: () => ({ ref: ref() }),
  output: mergedAnswer,
  async run(on, { ref: word }) {
    const { workspaceTask } = await import('../../tasks/lookup/locate.ts');
    const { id, name } = await workspaceTask(on, word);
    return (await on.ports.review!()).merge(id, name);
  },
});
