// `taskroom done`: finishes a task.

import type { CommandModule } from '../../command.ts';
import { readText } from '../../invocation/caller.ts';
import { changeTask } from '../../invocation/change-report.ts';
import { TASKS } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Finishes a task: its status becomes done, it gets a line in the history, and tasks it blocked may run.',
  arguments: [TASKS],
  options: [
    {
      flags: '--outcome <text>',
      about: 'what came out, written under Outcome in the same step; - for stdin',
    },
    {
      flags: '--without-checks <reason>',
      about: 'done whatever the checks of its turn would say, and why; not for agents',
    },
  ],
  examples: [
    ['taskroom done "Fix the build"', 'mark a task done'],
    ['taskroom done 3npr --outcome "The cache key was wrong; fixed in 4f2c."', 'and say what came out'],
  ],
  async run(call) {
    const word = call.options.text('outcome');
    const reason = call.options.text('without-checks');
    const options = {
      ...(word === null ? {} : { outcome: await readText(word, call.terminal) }),
      ...(reason === null ? {} : { withoutChecks: reason }),
    };
    await changeTask(call, 'is done', (tasks, ref, actor) => tasks.setStatus(ref, 'done', actor, options));
  },
};
