// A command made of what its operations declare: its words and options, and what it says when it is done. One of several operations
// has an action as its first word; `list` is meant without one; or a flag that means one of them.

import type { RoomClient } from '../app/open-room.ts';
import { RoomError } from '../core/errors.ts';
import { OPERATIONS } from '../operations/index.ts';
import type { CommandForm, Operation } from '../operations/operation.ts';
import type { FieldRow } from '../operations/row.ts';
import { rowsOf } from '../operations/table.ts';
import type { Changed } from '../tasks/shapes/change.ts';
import { type Beside, type Call, type CommandModule, readFlags } from './command.ts';
import { actionsOf, type Form, formsOf, inWords, optionsOf, wordsOf } from './declared-form.ts';
import { readText, tasksFor, tellChange } from './invocation/changes.ts';
import { cleanLine } from './lines/display-text.ts';
import { VIEWS } from './views/views.ts';

/** @param command `pause`, or of a subject `scope` */
export async function declaredCommand(command: string, beside?: Beside): Promise<CommandModule> {
  const { rows, subject } = await rowsOf(command);
  const forms = formsOf(rows);
  const [first] = forms;
  const about = subject?.about ?? first!.about?.[1] ?? first!.row.about;
  const { examples = [] } = subject ?? first!;
  const notes = forms.find((form) => form.notes !== undefined)?.notes;
  const flag = (name: string, about: string) => ({ flags: `--${name}`, about });
  return {
    ...{ about, examples, ...(notes === undefined ? {} : { notes }) },
    arguments: beside?.arguments ?? wordsOf(forms),
    options: [
      ...[...optionsOf(forms).values()].map(({ spec }) => spec),
      ...forms.flatMap(({ flag: own }) => (own?.[1] === undefined ? [] : [flag(own[0], own[1])])),
      ...forms.flatMap(({ switches = {} }) =>
        Object.entries(switches).map(([name, { about }]) => flag(name, about)),
      ),
      ...(beside?.options ?? []),
    ],
    run: (call) => run(command, forms, call, beside),
  };
}

async function run(
  command: string,
  forms: readonly Form[],
  call: Call,
  beside?: Beside,
): Promise<number | undefined> {
  const { form, words } = formOf(command, forms, call);
  const { row, exit } = form;
  const inputs = beside?.inputs?.(call) ?? (await readInputs(command, form, forms, words, call));
  const runtime = await call.openRoom(row.needs === 'read' ? { readOnly: true } : {});
  const { caller } = runtime;
  const { chore } = inputs[0]!;
  const chores = chore === undefined ? [] : [String(chore)];
  const tasks = form.asksTracker ? await tasksFor(call, runtime, chores) : runtime.tasks;
  const isAccepted = (input: object) =>
    beside?.inputs !== undefined ||
    row.fields.every((field) => field.isPlain || !(field.name in input) || isGiven(form, field.name));
  const carry = (input: object) => tasks.call(row.name as never, input as never, caller, isAccepted(input));
  // On none where one of them is not there.
  if (inputs.length > 1)
    for (const ref of new Set(inputs.map((input) => input.ref as string)))
      await tasks.call('show', { ref }, caller, true);
  const outputs: unknown[] = [];
  for (const input of inputs) {
    const output =
      form.flag === undefined ? await carry(input) : await counted(runtime, call, () => carry(input));
    outputs.push(output);
    const isTold = beside?.tell !== undefined && (await beside.tell(call, output as Changed, runtime));
    if (isTold) return;
    if (call.json) continue;
    await tell(form, output, input, call);
    if (caller.kind !== 'person') continue;
    for (const after of (await declaredForm(form)).shown?.(output as never) ?? [])
      await tasks.call(after.name as never, after.input as never, caller);
  }
  const said = outputs.length === 1 ? outputs[0] : { tasks: outputs };
  if (call.json) call.terminal.write(`${JSON.stringify(said)}\n`);
  if (exit === undefined) return;
  const [member, code] = exit;
  return outputs.every((output) => (output as Record<string, unknown>)[member]) ? undefined : code;
}

/** Many tasks take their time, which is told. */
async function counted<T>(runtime: RoomClient, { terminal }: Call, act: () => Promise<T>): Promise<T> {
  return (await import('./lines/progress.ts')).counting(runtime.here?.events, terminal, act);
}

function formOf(command: string, forms: readonly Form[], { words, options }: Call) {
  const flagged = forms.filter(
    ({ flag }) => flag && (options.flag(flag[0]) || options.text(flag[0]) !== null),
  );
  assertOneWay(flagged);
  if (flagged[0] !== undefined) return { form: flagged[0], words };
  if (forms[0]!.action === '') return { form: forms[0]!, words };
  const [action = forms.length === 1 ? forms[0]!.action : 'list', ...rest] = words;
  const form = forms.find((each) => each.action === action);
  if (form !== undefined) return { form, words: rest };
  throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with a ${command}`, {
    hint: `expected: ${inWords(forms.map((each) => each.action))}`,
  });
}

/** Flags that say different things of one input. @throws RoomError `bad_input` */
function assertOneWay(flagged: readonly Form[]): void {
  const given = flagged.flatMap(({ given = {}, flag }) =>
    Object.keys(given).map((name) => ({ name, flag: flag![0] })),
  );
  const twice = given.find(({ name }, at) => given.findIndex((each) => each.name === name) !== at);
  if (twice === undefined) return;
  const flags = given.filter(({ name }) => name === twice.name).map(({ flag }) => `--${flag}`);
  throw new RoomError('bad_input', `${inWords(flags).replace(/ or /, ' and ')} can't be given together`, {
    hint: `give one of them`,
  });
}

/** What the form gives by itself is the input as it is. */
function isGiven({ given = {}, switches = {} }: Form, name: string): boolean {
  return name in given || Object.values(switches).some((each) => name in each.given);
}

/** One for each of the last words, where there may be several. */
async function readInputs(
  command: string,
  form: Form,
  forms: readonly Form[],
  words: readonly string[],
  call: Call,
): Promise<Record<string, unknown>[]> {
  const last = form.words.length - 1;
  const several = form.takesMany && words.length > form.words.length;
  const lines = several ? words.slice(last).map((word) => [...words.slice(0, last), word]) : [words];
  const inputs: Record<string, unknown>[] = [];
  for (const line of lines) inputs.push(await readInput(command, form, forms, line, call));
  return inputs;
}

async function readInput(
  command: string,
  form: Form,
  forms: readonly Form[],
  typed: readonly string[],
  { options, terminal }: Call,
): Promise<Record<string, unknown>> {
  const { row, words, given, meant, stdin = [], switches = {}, needed = [], action } = form;
  const title = action === '' ? command : `${command} ${action}`;
  if (form.input !== undefined) return { [form.input]: readJson(await terminal.readInput()) };
  if (typed.length > words.length)
    throw new RoomError('bad_input', `${title} takes no ${JSON.stringify(typed[words.length])}`, {
      hint: 'put quotes around a text with spaces',
    });
  const isNeeded = (name: string) =>
    needed.includes(name) || row.fields.find((field) => field.name === name)!.isNeeded;
  const said = withOwn(words, typed, terminal.env, words.filter(isNeeded).length);
  const input: Record<string, unknown> = { ...meant, ...given };
  for (const [flag, { given: more }] of Object.entries(switches))
    if (options.flag(flag)) Object.assign(input, more);
  for (const [at, name] of words.entries()) {
    const word = said[at];
    if (word !== undefined) input[name] = stdin.includes(name) ? await readText(word, terminal) : word;
    else if (isNeeded(name))
      throw new RoomError('bad_input', `no ${{ name: command, ref: 'task' }[name] ?? name} was given`, {
        hint: `taskroom ${[title, ...words.map((each) => `<${each === 'ref' ? 'task' : each}>`)].join(' ')}`,
      });
  }
  for (const [long, { spec, field, forms: takers }] of optionsOf(forms)) {
    const value = optionValue(field, spec.flags, options, form);
    if (value === undefined) continue;
    if (!takers.some((form) => form.action === action))
      throw new RoomError('bad_input', `${title} takes no --${long}`, {
        hint: `it goes with ${actionsOf(takers)}`,
      });
    input[field.name] = stdin.includes(field.name) ? await readText(value as string, terminal) : value;
  }
  if (input.task === undefined && row.fields.some(({ name, isNeeded }) => name === 'task' && isNeeded)) {
    input.task = terminal.env.TASKROOM_TASK;
    if (!input.task)
      throw new RoomError('bad_input', 'no task was given', { hint: `taskroom ${title} --task <task>` });
  }
  return input;
}

/** @throws RoomError `bad_input` */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RoomError('bad_input', `stdin is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Inside a turn its own task, or the turn, is meant where the words leave it out. */
function withOwn(
  words: readonly string[],
  typed: readonly string[],
  { TASKROOM_TASK: ref, TASKROOM_TURN: turn }: NodeJS.ProcessEnv,
  needed: number,
): readonly string[] {
  const own = { ref, turn }[words[0] ?? ''];
  return own && typed.length < needed ? [own, ...typed] : typed;
}

function optionValue(
  { kind, name }: FieldRow,
  flags: string,
  options: Call['options'],
  { fromOne = [] }: CommandForm,
): unknown {
  const { long } = readFlags(flags);
  if (kind === 'text' && !flags.includes('<')) return options.flag(long) ? long : undefined;
  if (kind === 'flag') return options.flag(long) || undefined;
  if (kind === 'texts' || kind === 'words') {
    const items = kind === 'words' ? options.texts(long) : options.all(long);
    return items.length === 0 ? undefined : items;
  }
  if (kind !== 'number') return options.text(long) ?? undefined;
  const first = fromOne.includes(name) ? 1 : 0;
  const number = options.whole(long, first);
  return number === null ? undefined : number - first;
}

async function tell(asked: Form, output: unknown, input: object, call: Call): Promise<void> {
  const { paint, terminal } = call;
  const view = VIEWS[asked.row.name];
  if (view !== undefined) {
    const style = { paint, columns: terminal.columns(), nowMs: call.effects.now() };
    const lines = (await view())(output as never, style, call);
    return terminal.write(`${lines.join('\n')}\n`);
  }
  const { done, said } = await declaredForm(asked);
  if (done !== undefined) {
    for (const each of changesIn(output as Told))
      tellChange(call, each, typeof done === 'string' ? done : done(each as never, input as never));
    return;
  }
  const isSame = (output as { changed?: boolean }).changed === false;
  const [first = '', ...rest] = (said?.(output as never) ?? []).map(cleanLine);
  const sign = isSame ? paint('dim', '·') : paint('green', '✓');
  terminal.write(`${sign} ${first}${isSame ? paint('dim', ' (as before)') : ''}\n`);
  for (const line of rest) terminal.write(`  ${line}\n`);
}

/** With what its row leaves out. */
async function declaredForm({ row, command, flag }: Form): Promise<CommandForm> {
  const { cli } = (await OPERATIONS[row.name as keyof typeof OPERATIONS]()) as unknown as Operation;
  return [cli!].flat().find((each) => each.command === command && each.flag?.[0] === flag?.[0])!;
}

interface Told extends Changed {
  tasks?: readonly Changed[];
  subtasks?: readonly Changed[];
}

/** All that an answer tells of, one line each. */
function changesIn(output: Told): readonly Changed[] {
  return output.tasks ?? [...(output.subtasks ?? []), output];
}
