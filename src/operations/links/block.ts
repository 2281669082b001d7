import { operation, ref } from '../operation.ts';

export const block = operation({
  summary: 'make a task wait for others',
  about:
    'Makes a task wait for others: it has no turn until all of them are done. What would go round in a circle is refused.',
  needs: 'write',
  cli: {
    hidden: true,
    words: ['ref', 'by...'],
    examples: {
      'taskroom block "Write the notes" "Fix the build" 3npr': 'wait for two tasks',
      'taskroom block "Fix the build"': 'inside a turn: its own task',
    },
    done: (_, { by }: { by: string }) => `waits for ${by}`,
  },
  input: () => ({ ref: ref(), by: ref('id, name or title of what it waits for') }),
  run: async (on, { ref: task, by }, actor) =>
    (await import('../../tasks/change/set-keys.ts')).blockTask(on, task, by, actor),
});
