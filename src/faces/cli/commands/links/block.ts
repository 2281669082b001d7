// `taskroom block`: what a task waits for, one link at a time.
import type { CommandModule } from '../../command.ts';
import { changeLinks } from '../../invocation/blocking.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Makes a task wait for others: it has no turn until all of them are done. What would go round in a circle is refused.',
  arguments: [
    TASK,
    { name: 'by', about: 'what it waits for: one task or several', many: true, optional: true },
  ],
  options: [],
  examples: [
    ['taskroom block "Write the notes" "Fix the build" 3npr', 'wait for two tasks'],
    ['taskroom block "Fix the build"', 'inside a turn: its own task'],
  ],
  run: (call) =>
    changeLinks(call, 'waits for', (tasks, ref, by, actor) => tasks.call('block', { ref, by }, actor)),
};
