// `taskroom comment`: adds a comment to a task, which goes upstream where the task is mirrored.

import type { CommandModule } from '../../command.ts';
import { writeToTask } from '../../invocation/change-report.ts';
import { TASK, TEXT } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    "Adds a comment with author and time under Comments. A person's comment on an open task asks for a turn of its agent.",
  arguments: [TASK, TEXT],
  options: [],
  examples: [
    ['taskroom comment "Fix the build" "Seen on the 2-core runner too."', 'add a comment'],
    ['taskroom comment 3npr - < notes.txt', 'from a file'],
    ['taskroom comment "Which branch?"', 'inside a turn: on its own task'],
  ],
  async run(call) {
    await writeToTask(call, 'has a new comment', (tasks, ref, text, actor) =>
      tasks.comment(ref, text, actor),
    );
  },
};
