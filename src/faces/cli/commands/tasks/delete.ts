// `taskroom delete`: moves a task's file to the attic.

import type { CommandModule } from '../../command.ts';
import { OK } from '../../exit-codes.ts';
import { taskOf } from '../../invocation/caller.ts';
import { tellChange } from '../../invocation/change-report.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Takes a task away: its file moves to .taskroom/attic/, where it can be fetched back from.',
  arguments: [TASK],
  options: [],
  examples: [
    ['taskroom delete "Fix the build"', 'take it away and say where it lies'],
    ['taskroom delete 3npr', 'the same by a prefix of its id'],
  ],
  notes: 'With --json: {"id","name","path","changed","attic"}.',
  async run(call) {
    const ref = taskOf(call);
    const runtime = await call.openRoom();
    const removed = await runtime.tasks.remove(ref, runtime.caller);
    const { attic, ...changed } = removed;
    if (call.json) call.terminal.write(`${JSON.stringify({ ...changed, attic })}\n`);
    else tellChange(call, changed, `lies in ${attic}`);
    return OK;
  },
};
