// `taskroom unblock`: what a task waits for, one link at a time.
import type { CommandModule } from '../../command.ts';
import { changeLinks } from '../../invocation/blocking.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Makes a task wait for others no more; one that waits for nothing else may run.',
  arguments: [
    TASK,
    { name: 'by', about: 'what it waits for: one task or several', many: true, optional: true },
  ],
  options: [],
  examples: [
    ['taskroom unblock "Write the notes" "Fix the build" 3npr', 'wait for neither any more'],
    ['taskroom unblock "Fix the build"', 'inside a turn: its own task'],
  ],
  run: (call) =>
    changeLinks(call, 'waits no more for', (tasks, ref, by, actor) =>
      tasks.call('unblock', { ref, by }, actor),
    ),
};
