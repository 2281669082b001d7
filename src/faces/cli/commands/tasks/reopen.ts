// `taskroom reopen`: opens a finished task again.

import type { Changed } from '../../../../tasks/contract/operations.ts';
import type { CommandModule } from '../../command.ts';
import { changeTask } from '../../invocation/change-report.ts';
import { quoteWord } from '../../lines/shell-word.ts';
import { TASKS } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Opens a finished task again: its status becomes todo, and it gets a turn. One that is not over stays as it is, and one that was paused stays paused. Agents may not.',
  arguments: [TASKS],
  options: [],
  examples: [
    ['taskroom reopen "Fix the build"', 'open a done or canceled task again'],
    ['taskroom reopen 3npr --json', 'the same for a script'],
  ],
  async run(call) {
    await changeTask(call, said, (tasks, ref, actor) =>
      tasks.setStatus(ref, 'todo', actor, { onlyFinished: true }),
    );
  },
};

/** A task that was paused before it was finished is paused still; one that is not over stays as it is. */
function said({ changed, status, paused, name }: Changed): string {
  const open = changed ? 'is open again' : `is ${status} and not over`;
  return paused ? `${open}, and paused: taskroom resume ${quoteWord(name)} lets it run` : open;
}
