import { openedAnswer } from '../../core/review-shapes.ts';
import { flag, operation, optional, ref } from '../operation.ts';

export const pr = operation({
  summary: "open or merge a pull request of a task's branch",
  about:
    'Pushes the branch of a task to the GitHub remote of its project and opens a pull request there, once, for each of its repositories that has commits: title, outcome and checks are those of the task, and a mirrored issue of that repository is named as closed by it. Asked for again it pushes what was committed since, and says how the pull request stands. Refused while a turn runs, and where something is not committed: nothing is pushed then. With `merge` one that is open is merged at GitHub as it was reviewed; commits that were not pushed refuse it.',
  needs: 'person',
  cli: {
    asksTracker: true,
    examples: {
      'taskroom pr "Fix the build"': 'open it, or say where it is',
      'taskroom pr 3npr --draft': 'as a draft',
      'taskroom pr 3npr --merge': 'merge the one that is open',
    },
    said: ({ opened, pull_requests: pulls }) =>
      pulls.map(
        ({ ref: name, url, state }) => `${name} is ${opened.includes(name) ? 'opened' : state}: ${url}`,
      ),
  },
  input: () => ({
    ref: ref(),
    draft: optional(flag(), 'as a draft, which asks nobody to review it'),
    merge: optional(flag(), 'merge the one that is open'),
  }),
  output: openedAnswer,
  async run(on, { ref: word, ...wish }) {
    const { workspaceTask } = await import('../../tasks/lookup/locate.ts');
    const { id } = await workspaceTask(on, word);
    return (await on.ports.mirrors!()).openPull(id, wish);
  },
});
