// `taskroom delete`: moves files of tasks to the attic.

import { RoomError } from '../../../../core/errors.ts';
import type { ListFilter, Removed } from '../../../../tasks/contract/operations.ts';
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
    { flags: '--completed', about: 'every done or canceled task, or those that fit the options below' },
    { flags: '--all', about: 'open ones too' },
    ...MANY_OPTIONS,
  ],
  examples: [
    ['taskroom delete "Fix the build"', 'take it away and say where it lies'],
    ['taskroom delete --completed --sprint 12', 'every finished task of a sprint, all or none of them'],
    ['taskroom delete --all --scope spike', 'every task of a scope'],
  ],
  notes:
    '--scope completed and --scope all alone are the same as --completed and --all, where no scope has that name. With --json: {"id","name","path","changed","attic"}, with "subtasks" where some went along; of many {"tasks":[…]}.',
  async run(call) {
    const many = await whichOfMany(call);
    if (many !== null) return deleteMany(call, many);
    refuseFilter(call, '--completed or --all');
    const ref = taskOf(call);
    const runtime = await call.openRoom();
    const removed = await runtime.tasks.remove(ref, runtime.caller);
    if (call.json) call.terminal.write(`${JSON.stringify(removed)}\n`);
    else for (const each of [...(removed.subtasks ?? []), removed]) tellRemoved(call, each);
  },
};

interface Many {
  which: 'completed' | 'all';
  filter: ListFilter;
}

async function whichOfMany(call: Call): Promise<Many | null> {
  const filter = readMany(call);
  if (call.options.flag('all')) return { which: 'all', filter };
  if (call.options.flag('completed')) return { which: 'completed', filter };
  const { scope: which, ...rest } = filter;
  if (which !== 'completed' && which !== 'all') return null;
  const runtime = await call.openRoom({ readOnly: true });
  const { scopes } = await runtime.tasks.call('listScopes', {}, runtime.caller);
  return scopes.some(({ name }) => name === which) ? null : { which, filter: rest };
}

async function deleteMany(call: Call, { which, filter }: Many): Promise<undefined> {
  if (call.words.length > 0)
    throw new RoomError('bad_input', `--${which} takes no task`, {
      hint: 'delete single tasks by their names',
    });
  const runtime = await call.openRoom();
  const { tasks, caller } = runtime;
  const { counting } = await import('../../lines/progress-line.ts');
  const removed = await counting(runtime, call.terminal, () => tasks.removeAll(which, filter, caller));
  if (call.json) call.terminal.write(`${JSON.stringify({ tasks: removed })}\n`);
  else for (const each of removed) tellRemoved(call, each);
}

function tellRemoved(call: Call, { attic, subtasks: _, ...changed }: Removed): void {
  tellChange(call, changed, `lies in ${attic}`);
}
