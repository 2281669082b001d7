// `taskroom new`: writes a new task file.
import type { Changed, NewTask } from '../../../../tasks/contract/operations.ts';
import type { Call, CommandModule } from '../../command.ts';
import { readText } from '../../invocation/caller.ts';
import { tellChange } from '../../invocation/change-report.ts';
import { taskFromOptions } from '../../parse/new-task.ts';

export const command: CommandModule = {
  about: 'Writes a new task file in tasks/. A running room takes it up at once, unless it is a draft.',
  arguments: [
    { name: 'name', about: 'what the file is called, and the task with it' },
    { name: 'text', about: 'what is to be done, or - to read it from stdin', optional: true },
  ],
  options: [
    { flags: '--title <title>', about: 'a title, where it differs from the name' },
    { flags: '--owner <agent>', about: "the agent that takes it; else the room's default_agent" },
    { flags: '--priority <priority>', about: 'high, medium or low' },
    { flags: '--label <label>', about: 'a label; a comma list, or repeated', many: true },
    { flags: '--blocked-by <task>', about: 'a task it waits for; a comma list, or repeated', many: true },
    { flags: '--parent <task>', about: 'the task it is a part of' },
    { flags: '--sprint <sprint>', about: 'the sprint it belongs to' },
    { flags: '--scope <scope>', about: 'the set of tasks it belongs to' },
    { flags: '--draft', about: 'write it as a draft, which does not run' },
    { flags: '--edit', about: 'open it in your editor afterwards' },
  ],
  examples: [
    [
      'taskroom new "Fix the build" "CI fails on main since Monday."',
      'a task that runs as soon as it is seen',
    ],
    [
      'taskroom new "Write the notes" - --blocked-by "Fix the build" < brief.md',
      'text from stdin; waits for another',
    ],
    ['taskroom new "Think about caching" --draft --edit', 'start a draft in your editor'],
  ],
  async run(call) {
    const task = await readTask(call);
    const runtime = await call.openRoom();
    const changed = await runtime.tasks.create(task, runtime.caller);
    if (!call.options.flag('edit')) {
      tellCreated(call, changed);
      const isPerson = runtime.caller.kind === 'person' && call.terminal.outIsTerminal;
      if (!call.json && isPerson && task.status !== 'draft' && runtime.holder() === null) {
        call.terminal.write(
          call.paint('dim', '  nothing runs this room now: taskroom up, or taskroom once\n'),
        );
      }
      return;
    }
    const { editTask } = await import('../../invocation/editor.ts');
    await editTask(call, runtime, changed.id);
  },
};

async function readTask({ words, options, terminal }: Call): Promise<NewTask> {
  const task = taskFromOptions(words[0]!, options);
  if (words[1] !== undefined) task.body = await readText(words[1], terminal);
  return task;
}

function tellCreated(call: Call, changed: Changed): void {
  tellChange(call, changed, `is written: ${changed.path}`);
}
