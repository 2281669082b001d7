// `taskroom unlink`: ends a mirror.

import type { CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { assertPerson, tellLinked } from '../../invocation/link-report.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Ends a mirror: task and issue stay as they are, and neither follows the other any more.\nThe issue does not come in again by itself; `taskroom link` joins the two anew.',
  arguments: [TASK],
  options: [],
  examples: [
    ['taskroom unlink "Fix the login (web#12)"', 'keep the task for yourself'],
    ['taskroom unlink acme/web#12', 'by the reference of its issue, also when its file is gone'],
  ],
  notes: 'With --json: {"task","provider","ref","url","chore"}.',
  async run(call) {
    const runtime = await call.openRoom();
    assertPerson(runtime);
    tellLinked(call, await (await runtime.mirrors()).unlink(taskOf(call)), 'no longer mirrors');
    return undefined;
  },
};
