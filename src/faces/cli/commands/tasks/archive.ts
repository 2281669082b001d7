// `taskroom archive`: moves a finished task's file into the archive.

import type { CommandModule } from '../../command.ts';
import { changeTask } from '../../invocation/change-report.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Moves a finished task to archive/YYYY-MM/, its bytes unchanged. A running room does so by itself after a while.',
  arguments: [TASK],
  options: [],
  examples: [
    ['taskroom archive "Fix the build"', 'put a finished task away now'],
    ['taskroom archive 3npr --json', 'and print where it lies'],
  ],
  async run(call) {
    await changeTask(call, 'is in the archive', (tasks, ref, actor) => tasks.archive(ref, actor));
  },
};
