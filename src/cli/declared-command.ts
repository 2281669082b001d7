// A command made from its operations. Of several, the first word (`list` when absent) or a flag chooses one.
import { RoomError } from '../core/errors.ts';
import { OPERATIONS } from '../operations/index.ts';
import type { CommandForm, Operation } from '../operations/operation.ts';
import { rowsOf } from '../operations/table.ts';
import type { Changed } from '../tasks/shapes/change.ts';
import { asOneCommand } from '../tasks/task-room.ts';
import { type Beside, type Call, type CommandModule, readFlags } from './command.ts';
import type { Form, Offered } from './declared-form.ts';
import { actionsOf, flagsOf, formsOf, inWords, optionsOf, wordsOf } from './declared-form.ts';
import { readText, tasksFor, tellChange } from './invocation/changes.ts';
import { cleanLine } from './lines/display-text.ts';
import { VIEWS } from './views/views.ts';

type Input = Record<string, unknown>;

export async function declaredCommand(command: string, beside: Beside = {}): Promise<CommandModule> {
  const forms = formsOf((await rowsOf(command)).rows);
  const isWide = forms.filter(({ examples }) => examples !== undefined).length > 2;
  const telling = forms.find(({ about }) => about !== undefined) ?? forms[0]!;
  return {
    about: telling.about?.[1] ?? telling.row.about,
    // Of a command with several of them, one example of each action.
    examples: Object.fromEntries(
      forms.flatMap(({ examples = {} }) => Object.entries(examples).slice(0, isWide ? 1 : undefined)),
    ),
    notes: forms.find(({ notes }) => notes !== undefined)?.notes,
    arguments: beside.arguments ?? wordsOf(forms),
    options: [
      ...[...optionsOf(forms).values()].map(({ spec }) => spec),
      ...[...flagsOf(forms), ...(beside.options ?? [])],
    ],
    run: (call) => run(command, forms, call, beside),
  };
}

async function run(command: string, forms: readonly Form[], call: Call, beside: Beside) {
  const { form, words } = formOf(command, forms, call);
  const { row, exit, asks } = form;
  const inputs = beside.inputs?.(call) ?? (await readInputs(command, form, forms, words, call));
  const runtime = await call.openRoom({ readOnly: row.needs === 'read' });
  const caller = inputs.length === 1 ? runtime.caller : asOneCommand(runtime.caller, call.effects);
  const chores = inputs.flatMap(({ chore }) => (chore === undefined ? [] : String(chore)));
  const tasks = form.asksTracker ? await tasksFor(call, runtime, chores) : runtime.tasks;
  const carry = async (input: Input) => {
    const isAccepted = beside.inputs !== undefined || fits(form, input);
    const done = () => tasks.call(row.name as never, input as never, caller, isAccepted) as Promise<unknown>;
    if (form.flag === undefined) return done();
    // Of many tasks the progress is shown.
    return (await import('./lines/progress.ts')).counting(runtime.here?.events, call.terminal, done);
  };
  // Nothing is changed when one of several tasks does not exist.
  if (inputs.length > 1)
    for (const ref of new Set(inputs.map((input) => input.ref as string)))
      await tasks.call('show', { ref }, caller, true);
  // An agent is refused by the operation.
  if (asks !== undefined && caller.kind === 'person') await assertWanted(form, inputs[0]!, carry, call);
  const outputs: unknown[] = [];
  for (const input of inputs) {
    const output = await carry(input);
    outputs.push(output);
    if (await beside.tell?.(call, output as Changed, runtime)) return;
    if (call.json) continue;
    await tell(form, output, input, call);
    if (caller.kind !== 'person') continue;
    for (const after of (await declared(form)).shown?.(output as never) ?? [])
      await tasks.call(after.name as never, after.input as never, caller);
  }
  if (call.json)
    call.terminal.write(`${JSON.stringify(outputs.length === 1 ? outputs[0] : { tasks: outputs })}\n`);
  return outputs.every((output) => exit === undefined || (output as Input)[exit[0]]) ? undefined : exit![1];
}

/** Asks in a terminal before anything is done; what can be told of it is told first, and done where nobody can be asked.
 * @throws RoomError `refused` where a person did not say yes */
async function assertWanted(form: Form, input: Input, carry: (input: Input) => Promise<unknown>, call: Call) {
  const { options, json, terminal } = call;
  const isTold = form.row.fields.some(({ name }) => name === 'dry_run');
  if (options.flag('yes') || (isTold && (json || input.dry_run === true || !terminal.outIsTerminal))) return;
  if (isTold) await tell(form, await carry({ ...input, dry_run: true }), input, call);
  const answer = await terminal.ask(`${form.asks} [y/N] `);
  if (answer === null ? isTold : /^y(es)?$/i.test(answer.trim())) return;
  if (answer === null)
    throw new RoomError(
      'refused',
      'this asks before it begins, and there is no terminal to ask on',
      'give --yes',
    );
  throw new RoomError('refused', 'nothing was done');
}

/** Whether the input needs no parsing: plain values, and those that the form sets. */
function fits({ row, given = {}, switches = {} }: Form, input: Input): boolean {
  const set = Object.assign({}, given, ...Object.values(switches).map((each) => each.given)) as object;
  return row.fields.every(({ name, isPlain }) => isPlain || !(name in input) || name in set);
}

function formOf(command: string, forms: readonly Form[], { words, options }: Call) {
  const isGiven = ({ flag }: Form) => flag && (options.flag(flag[0]) || options.text(flag[0]) !== null);
  const { fitting, rest } = formsOfAction(command, forms, words);
  const flagged = forms.filter(isGiven);
  assertOneWay(flagged);
  const other = flagged.find((form) => !fitting.includes(form));
  if (other !== undefined)
    throw new RoomError('bad_input', `${command} ${fitting[0]!.action} takes no --${other.flag![0]}`, {
      hint: `it goes with ${other.action}`,
    });
  return { form: flagged[0] ?? fitting[0]!, words: rest };
}

function formsOfAction(command: string, forms: readonly Form[], words: readonly string[]) {
  if (!forms.some((form) => form.command.includes(' '))) return { fitting: forms, rest: words };
  const [action = forms.length === 1 ? forms[0]!.action : 'list', ...rest] = words;
  const fitting = forms.filter((each) => each.action === action);
  if (fitting.length > 0) return { fitting, rest };
  const hint = `expected: ${inWords([...new Set(forms.map((each) => each.action))])}`;
  throw new RoomError('bad_input', `there is no command "${command} ${action}"`, hint);
}

/** @throws RoomError `bad_input` for flags that set one input to different values */
function assertOneWay(flagged: readonly Form[]): void {
  const given = flagged.flatMap(({ given = {}, flag }) =>
    Object.keys(given).map((name) => ({ name, flag: `--${flag![0]}` })),
  );
  const twice = Object.values(Object.groupBy(given, ({ name }) => name)).find((each) => each!.length > 1);
  if (twice === undefined) return;
  const flags = inWords(twice.map(({ flag }) => flag)).replace(/ or /, ' and ');
  throw new RoomError('bad_input', `${flags} can't be given together`, { hint: 'give one of them' });
}

/** One input for each of the last words, where the form takes several. */
async function readInputs(
  command: string,
  form: Form,
  forms: readonly Form[],
  words: readonly string[],
  call: Call,
): Promise<Input[]> {
  if (form.input !== undefined) return [{ [form.input]: readJson(await call.terminal.readInput()) }];
  const last = form.words.length - 1;
  const { joined } = form;
  const several = form.takesMany && words.length > form.words.length;
  const text = words.slice(last).map(asPhrase).join(' ');
  const lines = several
    ? words.slice(last).map((word) => [...words.slice(0, last), word])
    : [joined === null || words.length <= last ? words : [...words.slice(0, last), text]];
  const title = form.action === '' ? command : `${command} ${form.action}`;
  const inputs: Input[] = [];
  for (const line of lines) {
    const typed = await readWords(title, form, line, call);
    const input: Input = { ...typed, ...(await readOptions(title, form, forms, call)) };
    if (joined !== null && typed[joined] !== undefined && input[joined] !== typed[joined])
      input[joined] = `${typed[joined]} ${input[joined]}`;
    addOwnTask(title, form, input, call);
    inputs.push(input);
  }
  return inputs;
}

async function readWords(title: string, form: Form, typed: readonly string[], call: Call): Promise<Input> {
  const { row, words, given, meant, stdin = [], switches = {}, needed = [] } = form;
  const { options, terminal } = call;
  if (typed.length > words.length)
    throw new RoomError('bad_input', `${title} takes no ${JSON.stringify(typed[words.length])}`, {
      hint: 'put quotes around a text with spaces',
    });
  const isNeeded = (name: string) =>
    needed.includes(name) || row.fields.some((field) => field.name === name && field.isNeeded);
  // Inside a turn its own task, or the turn itself, stands for a word that is left out.
  const { TASKROOM_TASK: ref, TASKROOM_TURN: turn } = terminal.env;
  const own = { ref, turn }[words[0] ?? ''];
  const said = own && typed.length < words.filter(isNeeded).length ? [own, ...typed] : typed;
  const input: Input = { ...meant, ...given };
  for (const [flag, { given: more }] of Object.entries(switches))
    if (options.flag(flag)) Object.assign(input, more);
  for (const [at, name] of words.entries()) {
    const word = said[at];
    if (word !== undefined) input[name] = stdin.includes(name) ? await readText(word, terminal) : word;
    else if (isNeeded(name)) {
      const what = name === 'ref' ? 'task' : name;
      const line = [title, ...words.map((each) => `<${each === 'ref' ? 'task' : each}>`)].join(' ');
      throw new RoomError('bad_input', `no ${what} was given`, { hint: `taskroom ${line}` });
    }
  }
  return input;
}

async function readOptions(title: string, form: Form, forms: readonly Form[], call: Call): Promise<Input> {
  const input: Input = {};
  for (const [long, offered] of optionsOf(forms)) {
    const { name } = offered.field;
    const value = optionValue(offered, form, call.options);
    if (value === undefined) continue;
    if (!offered.forms.includes(form))
      throw new RoomError('bad_input', `${title} takes no --${long}`, {
        hint: `it goes with ${actionsOf(offered.forms)}`,
      });
    input[name] = form.stdin?.includes(name) ? await readText(value as string, call.terminal) : value;
  }
  return input;
}

function optionValue({ field, spec }: Offered, { fromOne = [] }: Form, options: Call['options']): unknown {
  const { long, takesValue } = readFlags(spec[0]);
  const first = fromOne.includes(field.name) ? 1 : 0;
  if (field.kind === 'flag') return options.flag(long) || undefined;
  // A text input whose flag has no value gets the flag's name.
  if (!takesValue) return options.flag(long) ? long : undefined;
  if (field.kind === 'texts' || field.kind === 'words') {
    const items = field.kind === 'words' ? options.texts(long) : options.all(long);
    return items.length === 0 ? undefined : items;
  }
  if (field.kind !== 'number') return options.text(long) ?? undefined;
  const number = options.whole(long, first);
  return number === null ? undefined : number - first;
}

/** One word of the shell with blanks in it is a phrase, unless it is a whole filter. */
const asPhrase = (word: string): string =>
  !/\s/.test(word) || /"|(?:^|\s)(?:[@#]|[a-z_-]+:)\S/i.test(word) ? word : `"${word}"`;

/** A required `--task` is the turn's own when left out. @throws RoomError `bad_input` */
function addOwnTask(title: string, { row }: Form, input: Input, { terminal }: Call): void {
  const isNeeded = row.fields.some((field) => field.name === 'task' && field.isNeeded);
  if (input.task !== undefined || !isNeeded) return;
  input.task = terminal.env.TASKROOM_TASK;
  if (!input.task)
    throw new RoomError('bad_input', 'no task was given', { hint: `taskroom ${title} --task <task>` });
}

/** @throws RoomError `bad_input` */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RoomError('bad_input', `stdin is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

async function tell(form: Form, output: unknown, input: object, call: Call): Promise<void> {
  const { paint, terminal } = call;
  const view = VIEWS[form.row.name];
  if (view !== undefined) {
    const style = { paint, columns: terminal.columns(), nowMs: call.effects.now() };
    return terminal.write(`${(await view())(output as never, style, call).join('\n')}\n`);
  }
  const { done, said } = await declared(form);
  if (done !== undefined) {
    const { tasks, subtasks = [] } = output as { tasks?: Changed[]; subtasks?: Changed[] };
    const nowMs = call.effects.now();
    const saidOf = (each: Changed) =>
      typeof done === 'string' ? done : done(each as never, input as never, nowMs);
    for (const each of tasks ?? [...subtasks, output as Changed]) tellChange(call, each, saidOf(each));
    if (tasks?.length === 0) terminal.write('· no task fits\n');
    return;
  }
  const isSame = (output as { changed?: boolean }).changed === false;
  const [first = '', ...rest] = (said?.(output as never) ?? []).map(cleanLine);
  const sign = isSame ? paint('dim', '·') : paint('green', '✓');
  terminal.write(`${sign} ${first}${isSame ? paint('dim', ' (as before)') : ''}\n`);
  for (const line of rest) terminal.write(`  ${line}\n`);
}

/** The form with its functions, which its row leaves out. */
async function declared({ row, at }: Form): Promise<CommandForm> {
  const { cli } = (await OPERATIONS[row.name as keyof typeof OPERATIONS]()) as unknown as Operation;
  return cli[at]!;
}
