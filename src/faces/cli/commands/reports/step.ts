// `taskroom step`: ticks, unticks and adds steps of a task.
import { RoomError } from '../../../../core/errors.ts';
import type { Changed } from '../../../../tasks/contract/operations.ts';
import type { Call, CommandModule } from '../../command.ts';
import { tellChange } from '../../invocation/change-report.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Ticks steps by their number from 1, unticks them, or adds new ones.',
  arguments: [TASK, { name: 'number', about: 'steps, counted from 1', many: true, optional: true }],
  options: [
    { flags: '--undo', about: 'untick instead' },
    { flags: '--add <title>', about: 'add a step at the end; may be repeated', many: true },
  ],
  examples: [
    ['taskroom step "Fix the build" 1 2', 'tick the first two steps'],
    ['taskroom step 2', 'inside a turn: tick step 2 of its own task'],
    ['taskroom step 3npr --add "Tell the team"', 'add a step'],
  ],
  notes: 'Inside a turn, words that are all numbers are steps of its own task.',
  async run(call) {
    const { task, numbers } = readSteps(call);
    const titles = call.options.all('add');
    const runtime = await call.openRoom();
    const actor = runtime.caller;
    const done = !call.options.flag('undo');
    let last: Changed | null = null;
    let changed = false;
    for (const number of numbers) {
      last = await runtime.tasks.setStep(task, number - 1, done, actor);
      changed ||= last.changed;
    }
    for (const title of titles) {
      last = await runtime.tasks.addStep(task, title, actor);
      changed ||= last.changed;
    }
    tellChange(call, { ...last!, changed }, saidOf(numbers, titles.length, done));
  },
};

function readSteps({ words, options, terminal }: Call): { task: string; numbers: number[] } {
  const own = terminal.env.TASKROOM_TASK;
  const allNumbers = words.every((word) => /^\d+$/.test(word));
  const usesOwn = own !== undefined && own !== '' && allNumbers;
  const task = usesOwn ? own : words[0];
  const numbers = words.slice(usesOwn ? 0 : 1).map(readNumber);
  if (task === undefined)
    throw new RoomError('bad_input', 'no task was given', { hint: 'taskroom step <task> <number>' });
  if (numbers.length === 0 && options.all('add').length === 0) {
    throw new RoomError('bad_input', 'no step was given', { hint: 'give its number, or --add "title"' });
  }
  return { task, numbers };
}

function readNumber(word: string): number {
  const number = /^\d{1,6}$/.test(word) ? Number(word) : 0;
  if (number >= 1) return number;
  throw new RoomError('bad_input', `${JSON.stringify(word)} is no step`, {
    hint: 'steps are counted from 1',
  });
}

function saidOf(numbers: readonly number[], added: number, done: boolean): string {
  const parts = [
    numbers.length === 0 ? null : `has step ${numbers.join(', ')} ${done ? 'done' : 'open again'}`,
    added === 0 ? null : `has ${added} new step${added === 1 ? '' : 's'}`,
  ];
  return parts.filter((part) => part !== null).join(' and ');
}
