// `taskroom sub`: makes a subtask and links a step of its parent to it.
import { RoomError } from '../../../../core/errors.ts';
import type { NewTask } from '../../../../tasks/contract/operations.ts';
import type { Call, CommandModule } from '../../command.ts';
import { readText, taskOf } from '../../invocation/caller.ts';
import { tellChange } from '../../invocation/change-report.ts';
import { taskFromOptions } from '../../parse/new-task.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Makes a subtask: a task of its own that names its parent, and a step of the parent that names it. The parent is woken when it is done, and takes it along when it is canceled.',
  arguments: [TASK, { name: 'name', about: 'what the subtask is called', optional: true }],
  options: [
    { flags: '--text <text>', about: 'what is to be done, or - to read it from stdin' },
    { flags: '--step <number>', about: 'the step it is for, counted from 1; else a new one at the end' },
    { flags: '--title <title>', about: 'a title, where it differs from the name' },
    { flags: '--owner <agent>', about: 'the agent that takes it' },
    { flags: '--priority <priority>', about: 'high, medium or low' },
    { flags: '--label <label>', about: 'a label; a comma list, or repeated', many: true },
    { flags: '--blocked-by <task>', about: 'a task it waits for; a comma list, or repeated', many: true },
    { flags: '--draft', about: 'write it as a draft, which does not run' },
  ],
  examples: [
    ['taskroom sub "Ship it" "Check the docs" --owner claude --step 2', 'hand step 2 to another agent'],
    ['taskroom sub "Check the docs" --text - < brief.md', 'inside a turn: a subtask of its own task'],
  ],
  notes: 'With --json: {"id","name","path","changed","step"}, the step counted from 0.',
  async run(call) {
    const { parent, task } = await readSubtask(call);
    const step = call.options.whole('step', 1);
    const runtime = await call.openRoom();
    const made = await runtime.tasks.createSubtask(
      parent,
      task,
      runtime.caller,
      step === null ? undefined : step - 1,
    );
    if (call.json) return void call.terminal.write(`${JSON.stringify(made)}\n`);
    tellChange(
      call,
      made,
      made.step === null ? 'is written' : `is written for step ${made.step + 1}: ${made.path}`,
    );
  },
};

async function readSubtask(call: Call): Promise<{ parent: string; task: NewTask }> {
  const { words, options, terminal } = call;
  const name = words.at(-1);
  if (name === undefined || (words.length === 1 && !terminal.env.TASKROOM_TASK))
    throw new RoomError('bad_input', 'no name was given', { hint: 'taskroom sub <task> <name>' });
  const parent = words.length === 1 ? taskOf({ ...call, words: [] }) : words[0]!;
  const task = taskFromOptions(name, options);
  const text = options.text('text');
  if (text !== null) task.body = await readText(text, terminal);
  return { parent, task };
}
