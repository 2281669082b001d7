// `taskroom edit`: opens a task file in the person's editor, and says what changed.

import type { CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    "Opens a task file in $VISUAL, $EDITOR or vi, and says afterwards what changed. A file that can't be read as a task opens too.",
  arguments: [TASK],
  options: [],
  examples: [
    ['taskroom edit "Fix the build"', 'open it, save, done'],
    ['EDITOR="code --wait" taskroom edit 3npr', 'in another editor'],
  ],
  notes: 'With --json: {"id","name","path","changed"}. Exit code 6 when the file can\'t be read afterwards.',
  async run(call) {
    const { editTask } = await import('../../invocation/editor.ts');
    await editTask(call, await call.openRoom({ readOnly: true }), taskOf(call));
  },
};
