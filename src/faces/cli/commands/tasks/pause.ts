// `taskroom pause`: keeps a task from running.

import type { CommandModule } from '../../command.ts';
import { changeTask } from '../../invocation/change-report.ts';
import { TASKS } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Keeps a task from running until it is resumed. A turn that runs on it is stopped.',
  arguments: [TASKS],
  options: [{ flags: '--reason <text>', about: 'why, written under Progress' }],
  examples: [
    ['taskroom pause "Fix the build"', 'let it rest'],
    ['taskroom pause 3npr --reason "waiting for the new runner"', 'and say why'],
  ],
  async run(call) {
    const reason = call.options.text('reason') ?? undefined;
    await changeTask(call, 'is paused', (tasks, ref, actor) => tasks.pause(ref, actor, reason));
  },
};
