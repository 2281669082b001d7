// `taskroom cancel`: cancels a task.

import type { CommandModule } from '../../command.ts';
import { changeTask } from '../../invocation/change-report.ts';
import { TASKS } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Cancels a task: its status becomes canceled, and a turn that runs on it is stopped.',
  arguments: [TASKS],
  options: [],
  examples: [
    ['taskroom cancel "Fix the build"', 'cancel by name'],
    ['taskroom cancel 3npr k2xm', 'cancel two tasks, by prefixes of their ids'],
  ],
  async run(call) {
    await changeTask(call, 'is canceled', (tasks, ref, actor) => tasks.setStatus(ref, 'canceled', actor));
  },
};
