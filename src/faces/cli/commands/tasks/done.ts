// `taskroom done`: finishes a task.

import { RoomError } from '../../../../core/errors.ts';
import type { Call, CommandModule } from '../../command.ts';
import { readText } from '../../invocation/caller.ts';
import { changeTask, tellChanges } from '../../invocation/change-report.ts';
import { MANY_OPTIONS, readMany, refuseFilter } from '../../parse/many.ts';
import { TASKS } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Finishes a task: its status becomes done, it gets a line in the history, and tasks it blocked may run.',
  arguments: [TASKS],
  options: [
    { flags: '--all', about: 'every todo and doing task, or those that fit the options below' },
    ...MANY_OPTIONS,
    {
      flags: '--outcome <text>',
      about: 'what came out, written under Outcome in the same step; - for stdin',
    },
    {
      flags: '--without-checks <reason>',
      about: 'done whatever the checks of its turn would say, and why; not for agents',
    },
  ],
  examples: [
    ['taskroom done "Fix the build"', 'mark a task done'],
    ['taskroom done --all --label docs', 'every open task with a label, all or none of them'],
    ['taskroom done 3npr --outcome "The cache key was wrong; fixed in 4f2c."', 'and say what came out'],
  ],
  async run(call) {
    if (call.options.flag('all')) return finishAll(call);
    refuseFilter(call, '--all');
    const word = call.options.text('outcome');
    const reason = call.options.text('without-checks');
    const options = {
      ...(word === null ? {} : { outcome: await readText(word, call.terminal) }),
      ...(reason === null ? {} : { withoutChecks: reason }),
    };
    await changeTask(call, 'is done', (tasks, ref, actor) => tasks.setStatus(ref, 'done', actor, options));
  },
};

async function finishAll(call: Call): Promise<undefined> {
  if (
    call.words.length > 0 ||
    call.options.text('outcome') !== null ||
    call.options.text('without-checks') !== null
  )
    throw new RoomError('bad_input', '--all takes no task, no outcome and no word on checks', {
      hint: 'finish single tasks by their names',
    });
  const filter = readMany(call);
  const runtime = await call.openRoom();
  const { tasks, caller } = runtime;
  const { counting } = await import('../../lines/progress-line.ts');
  const done = await counting(runtime, call.terminal, () => tasks.completeAll(filter, caller));
  tellChanges(call, done, () => 'is done');
}
