// `taskroom outcome`: adds an entry to a task's Outcome.

import type { CommandModule } from '../../command.ts';
import { writeToTask } from '../../invocation/change-report.ts';
import { TASK, TEXT } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Adds a dated entry under Outcome: what came out of the task. The status stays as it is; see done.',
  arguments: [TASK, TEXT],
  options: [],
  examples: [
    [
      'taskroom outcome "The build is green again; the cache key was wrong."',
      'inside a turn: on its own task',
    ],
    ['taskroom outcome 3npr - < summary.md', 'on a named task, from a file'],
  ],
  async run(call) {
    await writeToTask(call, 'has an outcome', (tasks, ref, text, actor) => tasks.outcome(ref, text, actor));
  },
};
