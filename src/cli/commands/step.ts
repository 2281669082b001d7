// `taskroom step`: ticks, unticks and adds steps of a task.
import { RoomError } from '../../core/errors.ts';
import type { StepChange } from '../../core/task/body/step-edits.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import { type Call, type CommandModule, TASK } from '../command.ts';
import { readText, tellChange } from '../invocation/changes.ts';
import { plural } from '../lines/display-text.ts';

export const command: CommandModule = {
  about: 'Ticks steps by their number from 1, unticks them, renames one, or adds new ones.',
  arguments: [TASK, { name: 'number', about: 'steps, counted from 1', many: true, optional: true }],
  options: [
    ['--undo', 'untick instead'],
    ['--title <title>', 'rename the step instead'],
    ['--details <text>', 'put this below its title instead, or - to read it from stdin'],
    ['--add <title>', 'add a step at the end; may be repeated', 'many'],
  ],
  examples: {
    'taskroom step "Fix the build" 1 2': 'tick the first two steps',
    'taskroom step 2': 'inside a turn: tick step 2 of its own task',
    'taskroom step 3npr 2 --title "Tell the team" --add "Tell the others"': 'rename a step, and add one',
  },
  notes: 'Inside a turn, words that are all numbers are steps of its own task.',
  async run(call) {
    const { options } = call;
    const { ref, numbers } = readSteps(call);
    const titles = options.all('add');
    const edit = await readEdit(call, numbers);
    const { tasks, caller } = await call.openRoom();
    const done = !options.flag('undo');
    const all: Changed[] = [];
    for (const number of numbers)
      all.push(await tasks.call('editStep', { ref, index: number - 1, ...(edit ?? { done }) }, caller));
    for (const title of titles) all.push(await tasks.call('addStep', { ref, title }, caller));
    const how = edit === null ? (done ? 'done' : 'open again') : 'rewritten';
    const said = [
      ...(numbers.length === 0 ? [] : [`has step ${numbers.join(', ')} ${how}`]),
      ...(titles.length === 0 ? [] : [`has ${plural(titles.length, 'new step')}`]),
    ];
    tellChange(call, { ...all.at(-1)!, changed: all.some(({ changed }) => changed) }, said.join(' and '));
  },
};

function readSteps({ words, options, terminal }: Call): { ref: string; numbers: number[] } {
  const own = terminal.env.TASKROOM_TASK;
  const allNumbers = words.every((word) => /^\d+$/.test(word));
  const usesOwn = own !== undefined && own !== '' && allNumbers;
  const task = usesOwn ? own : words[0];
  const numbers = words.slice(usesOwn ? 0 : 1).map(readNumber);
  if (task === undefined)
    throw new RoomError('bad_input', 'no task was given', 'taskroom step <task> <number>');
  if (numbers.length === 0 && options.all('add').length === 0)
    throw new RoomError('bad_input', 'no step was given', 'give its number, or --add "title"');
  return { ref: task, numbers };
}

/** What a step is to say instead; null when it is to be ticked. @throws RoomError `bad_input` */
async function readEdit(call: Call, numbers: readonly number[]): Promise<StepChange | null> {
  const title = call.options.text('title');
  const words = call.options.text('details');
  if (title === null && words === null) return null;
  const off = (message: string, hint: string) => new RoomError('bad_input', message, hint);
  if (numbers.length !== 1) throw off(`${numbers.length} steps would be rewritten`, 'give the number of one');
  if (call.options.flag('undo'))
    throw off('a step is rewritten or unticked, not both', 'make two calls of it');
  // An empty text removes the details.
  const details = words === null || words === '' ? words : await readText(words, call.terminal);
  return { ...(title === null ? {} : { title }), ...(details === null ? {} : { details }) };
}

function readNumber(word: string): number {
  const number = /^\d{1,6}$/.test(word) ? Number(word) : 0;
  if (number >= 1) return number;
  throw new RoomError('bad_input', `${JSON.stringify(word)} is no step`, 'steps are counted from 1');
}
