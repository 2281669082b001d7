// `taskroom delete`: moves files of tasks to the attic.

import { RoomError } from '../../../../core/errors.ts';
import type { Removed } from '../../../../tasks/contract/operations.ts';
import { removedJson } from '../../../shapes/change-json.ts';
import type { Call, CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { tellChange } from '../../invocation/change-report.ts';
import { MANY_OPTIONS, readMany, refuseFilter } from '../../parse/many.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Takes a task away, and its local subtasks with it: their files move to .taskroom/attic/, where they can be fetched back from.',
  arguments: [TASK],
  options: [
    {
      flags: '--scope <which>',
      about: 'many at once: completed (done and canceled ones), or all; those that fit the options below',
    },
    ...MANY_OPTIONS,
  ],
  examples: [
    ['taskroom delete "Fix the build"', 'take it away and say where it lies'],
    ['taskroom delete 3npr', 'the same by a prefix of its id'],
    ['taskroom delete --scope completed --sprint 12', 'every finished task of a sprint, all or none of them'],
  ],
  notes:
    'With --json: {"id","name","path","changed","attic"}, with "subtasks" where some went along; with --scope {"tasks":[…]}.',
  async run(call) {
    const which = call.options.text('scope');
    if (which !== null) return deleteMany(call, which);
    refuseFilter(call, '--scope');
    const ref = taskOf(call);
    const runtime = await call.openRoom();
    const removed = await runtime.tasks.remove(ref, runtime.caller);
    if (call.json) call.terminal.write(`${JSON.stringify(removedJson(removed))}\n`);
    else for (const each of [...(removed.subtasks ?? []), removed]) tellRemoved(call, each);
  },
};

async function deleteMany(call: Call, which: string): Promise<undefined> {
  if (which !== 'completed' && which !== 'all')
    throw new RoomError('bad_input', `--scope is ${JSON.stringify(which)}`, {
      hint: 'allowed: completed, all',
    });
  if (call.words.length > 0)
    throw new RoomError('bad_input', '--scope takes no task', { hint: 'delete single tasks by their names' });
  const filter = readMany(call);
  const runtime = await call.openRoom();
  const removed = await runtime.tasks.removeAll(which, filter, runtime.caller);
  if (call.json) call.terminal.write(`${JSON.stringify({ tasks: removed.map(removedJson) })}\n`);
  else for (const each of removed) tellRemoved(call, each);
}

function tellRemoved(call: Call, { attic, subtasks: _, ...changed }: Removed): void {
  tellChange(call, changed, `lies in ${attic}`);
}
