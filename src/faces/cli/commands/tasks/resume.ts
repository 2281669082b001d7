// `taskroom resume`: lets a paused task run.

import type { CommandModule } from '../../command.ts';
import { changeTask } from '../../invocation/change-report.ts';
import { TASKS } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Lets a paused task run again; failed attempts before count no more.',
  arguments: [TASKS],
  options: [],
  examples: [
    ['taskroom resume "Fix the build"', 'go on'],
    ['taskroom resume 3npr', 'the same by a prefix of its id'],
  ],
  async run(call) {
    await changeTask(call, 'may run again', (tasks, ref, actor) => tasks.resume(ref, actor));
  },
};
