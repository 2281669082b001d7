// `taskroom reopen`: opens a finished task again.

import type { CommandModule } from '../command.ts';
import { changeTask } from '../invocation/change-report.ts';
import { TASKS } from '../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Opens a finished task again: its status becomes todo, and it gets a turn. Agents may not.',
  arguments: [TASKS],
  options: [],
  examples: [
    ['taskroom reopen "Fix the build"', 'open a done or canceled task again'],
    ['taskroom reopen 3npr --json', 'the same for a script'],
  ],
  async run(call) {
    await changeTask(call, 'is open again', (tasks, ref, actor) => tasks.setStatus(ref, 'todo', actor));
  },
};
