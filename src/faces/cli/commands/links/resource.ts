// `taskroom resource`: what a task points at.
import { RoomError } from '../../../../core/errors.ts';
import type { Resource } from '../../../../core/task/task.ts';
import type { Call, CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { tellChange } from '../../invocation/change-report.ts';
import { cleanLine } from '../../lines/display-text.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Lists the resources of a task, adds one, or takes one away: URLs and files that its agent is shown.',
  arguments: [TASK],
  options: [
    { flags: '--add <url|path>', about: 'a URL, or a path' },
    { flags: '--label <text>', about: 'what it is, with --add' },
    { flags: '--remove <number>', about: 'take away the one with this number, counted from 1' },
  ],
  examples: [
    ['taskroom resource "Fix the build" --add https://ci.example/run/7 --label "failed run"', 'add a URL'],
    ['taskroom resource 3npr', 'list them with their numbers'],
    ['taskroom resource 3npr --remove 1', 'take the first one away'],
  ],
  notes: 'Without --add and --remove, --json prints {"resources":[{"kind","value","label"}…]}.',
  async run(call) {
    const ref = taskOf(call);
    const add = call.options.text('add');
    const remove = call.options.whole('remove', 1);
    if (add !== null && remove !== null)
      throw new RoomError('bad_input', 'one is added or removed, not both', { hint: 'make two calls of it' });
    if (add === null && remove === null) return list(call, ref);
    const runtime = await call.openRoom();
    const changed =
      remove !== null
        ? await runtime.tasks.call('removeResource', { ref, index: remove - 1 }, runtime.caller)
        : await runtime.tasks.call(
            'addResource',
            { ...readResource(add!, call.options.text('label')), ref },
            runtime.caller,
          );
    tellChange(call, changed, remove === null ? 'has that resource' : 'has one resource less');
  },
};

async function list(call: Call, ref: string): Promise<undefined> {
  const { tasks, caller } = await call.openRoom({ readOnly: true });
  const { resources } = await tasks.call('show', { ref }, caller, true);
  if (call.json) call.terminal.write(`${JSON.stringify({ resources })}\n`);
  else if (resources.length === 0) call.terminal.write(`${call.paint('dim', 'no resources')}\n`);
  else
    for (const [index, { value, label }] of resources.entries()) {
      const name = label === null ? '' : `  ${call.paint('dim', cleanLine(label))}`;
      call.terminal.write(`${index + 1}  ${cleanLine(value)}${name}\n`);
    }
}

function readResource(word: string, label: string | null): Resource {
  return { kind: /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? 'url' : 'file', value: word, label };
}
