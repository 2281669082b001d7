// `taskroom describe`: says anew what is to be done.
import type { CommandModule } from '../../command.ts';
import { writeToTask } from '../../invocation/change-report.ts';
import { TASK, TEXT } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Puts a new text under Task, in the place of the old one. New words are a new assignment: the task is due again unless it is over.',
  arguments: [TASK, TEXT],
  options: [],
  examples: [
    ['taskroom describe "Fix the build" "CI fails on main since Monday, on arm64 only."', 'say it anew'],
    ['taskroom describe 3npr - < brief.md', 'from a file'],
  ],
  async run(call) {
    await writeToTask(call, 'says something else', (tasks, ref, text, actor) =>
      tasks.describe(ref, text, actor),
    );
  },
};
