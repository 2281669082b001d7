// `taskroom progress`: adds an entry to a task's Progress.

import type { CommandModule } from '../../command.ts';
import { writeToTask } from '../../invocation/change-report.ts';
import { TASK, TEXT } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Adds a dated entry under Progress. It starts no turn.',
  arguments: [TASK, TEXT],
  options: [],
  examples: [
    ['taskroom progress "Found the failing test."', 'inside a turn: on its own task'],
    ['taskroom progress 3npr "Half of the files are moved."', 'on a named task'],
    ['taskroom progress - < report.txt', 'from stdin'],
  ],
  async run(call) {
    await writeToTask(call, 'has new progress', (tasks, ref, text, actor) =>
      tasks.progress(ref, text, actor),
    );
  },
};
