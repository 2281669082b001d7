// A command made of what its operations declare: its words and options, and what it says when it is done. One of several operations
// has an action as its first word; `list` is meant without one.
import { RoomError } from '../../core/errors.ts';
import { OPERATIONS } from '../../operations/index.ts';
import type { CommandForm, Operation } from '../../operations/operation.ts';
import type { FieldRow, OperationRow } from '../../operations/row.ts';
import { ROWS, SUBJECT_ROWS } from '../../operations/table.ts';
import type { Runtime } from '../../runtime.ts';
import type { Changed } from '../../tasks/shapes/changed.ts';
import type { ArgumentSpec, Call, CommandModule, OptionSpec } from './command.ts';
import { readFlags } from './command.ts';
import { UNHEALTHY } from './exit-codes.ts';
import { readText } from './invocation/caller.ts';
import { tellChange } from './invocation/change-report.ts';
import { cleanLine } from './lines/display-text.ts';
import { VIEWS } from './views/views.ts';

interface Form extends CommandForm {
  row: OperationRow;
  /** '' for a command that has one alone. */
  action: string;
  /** Its last word may be several. */
  takesMany: boolean;
}

/** @param command `pause`, or of a subject `scope` */
export function declaredCommand(command: string): CommandModule {
  const forms = formsOf(command);
  const { about, examples = [] } = SUBJECT_ROWS[command] ?? { ...forms[0]!, about: forms[0]!.row.about };
  const { notes } = forms[0]!;
  return {
    ...{ about, examples, ...(notes === undefined ? {} : { notes }) },
    arguments: wordsOf(forms),
    options: [...optionsOf(forms).values()].map(({ spec }) => spec),
    run: (call) => run(command, forms, call),
  };
}

function formsOf(command: string): Form[] {
  return Object.values(ROWS).flatMap((row) =>
    row.forms
      .filter((form) => form.command.split(' ')[0] === command)
      .map((form) => ({
        ...form,
        ...{ row, action: form.command.split(' ')[1] ?? '' },
        words: form.words.map((word) => word.replace(MANY, '')),
        takesMany: form.words.some((word) => MANY.test(word)),
      })),
  );
}

const MANY = /\.\.\.$/;

function wordsOf(forms: readonly Form[]): ArgumentSpec[] {
  const most = Math.max(...forms.map(({ words }) => words.length));
  const actions = forms.map(({ action }) => action);
  const places = Array.from({ length: most }, (_, at) => [
    ...new Set(forms.flatMap(({ words }) => words[at] ?? [])),
  ]);
  const [first] = forms;
  const words = places.map((names, at) => ({
    name: names.map((name) => (name === 'ref' ? 'task' : name)).join('|'),
    about: names.map((name) => aboutWord(forms, name, at)).join('; '),
    optional: true,
    ...(first!.takesMany && at === places.length - 1 ? { many: true } : {}),
  }));
  if (first!.action === '') return words;
  return [
    {
      name: 'action',
      about: `${inWords(actions)}; ${actions.length === 1 ? actions[0] : 'list'} when left out`,
      optional: true,
    },
    ...words,
  ];
}

function aboutWord(forms: readonly Form[], name: string, at: number): string {
  const having = forms.filter(({ words }) => words[at] === name);
  const field = having.map(({ row }) => row.fields.find((each) => each.name === name)!);
  const about = field.find((each) => each.about !== '')?.about ?? `the ${name}`;
  const isStdin = having.some(({ stdin }) => stdin?.includes(name));
  const isOwn =
    name === 'ref' && field.every(({ isNeeded }) => isNeeded)
      ? '; inside a turn its own may be left out'
      : '';
  const isMany = having.some(({ takesMany, words }) => takesMany && words.at(-1) === name);
  const whose =
    having.length === forms.filter(({ words }) => words.length > at).length ? '' : `${having[0]!.action}: `;
  return `${whose}${isMany ? 'one or more, each by ' : ''}${about}${isStdin ? ', or - to read it from stdin' : ''}${isOwn}`;
}

interface Offered {
  spec: OptionSpec;
  field: FieldRow;
  forms: Form[];
}

/** By long name. */
function optionsOf(forms: readonly Form[]): Map<string, Offered> {
  const offered = new Map<string, Offered>();
  for (const form of forms)
    for (const field of form.row.fields) {
      const { words, given = {}, flags = {} } = form;
      if (words.includes(field.name) || field.name in given || flags[field.name] === null) continue;
      const shown = field.name.replaceAll('_', '-');
      const spelled = flags[field.name] ?? `--${shown}${field.kind === 'flag' ? '' : ` <${shown}>`}`;
      const { long } = readFlags(spelled);
      const before = offered.get(long);
      if (before !== undefined) before.forms.push(form);
      else
        offered.set(long, {
          spec: {
            flags: spelled,
            about: field.about,
            ...(['texts', 'words'].includes(field.kind) ? { many: true } : {}),
          },
          ...{ field, forms: [form] },
        });
    }
  for (const each of offered.values())
    if (each.forms.length < forms.length)
      each.spec = {
        ...each.spec,
        about: `${each.forms.map(({ action }) => action).join(', ')}: ${each.spec.about}`,
      };
  return offered;
}

async function run(command: string, forms: readonly Form[], call: Call): Promise<number | undefined> {
  const { form, words } = formOf(command, forms, call.words);
  const { row, takesMany } = form;
  const inputs: Record<string, unknown>[] = [];
  const single = form.words.length - 1;
  if (takesMany && words.length > form.words.length)
    for (const word of words.slice(single))
      inputs.push(await readInput(command, form, forms, [...words.slice(0, single), word], call));
  else inputs.push(await readInput(command, form, forms, words, call));
  const runtime = await call.openRoom(row.needs === 'read' ? { readOnly: true } : {});
  const { caller } = runtime;
  const tasks = form.asksTracker ? await trackerTasks(call, runtime, inputs[0]!) : runtime.tasks;
  const isPlain = (name: string) => row.fields.find((field) => field.name === name)!.isPlain;
  const carry = (input: object) =>
    tasks.call(row.name as never, input as never, caller, Object.keys(input).every(isPlain));
  // On none where one of them is not there.
  if (inputs.length > 1) for (const { ref } of inputs) await tasks.show(ref as string);
  const outputs: unknown[] = [];
  for (const input of inputs) {
    const output = await carry(input);
    outputs.push(output);
    if (call.json) continue;
    await tell(form, output, call);
    const after = caller.kind === 'person' ? (await declaredForm(form)).shown?.(output as never) : undefined;
    if (after) await tasks.call(after.name as never, after.input as never, caller);
  }
  const said = outputs.length === 1 ? outputs[0] : { tasks: outputs };
  if (call.json) call.terminal.write(`${JSON.stringify(said)}\n`);
  const { wellWhen } = form;
  const isUnwell = (output: unknown) => (output as Record<string, unknown>)[wellWhen!] === false;
  return wellWhen !== undefined && outputs.some(isUnwell) ? UNHEALTHY : undefined;
}

async function trackerTasks(
  call: Call,
  runtime: Runtime,
  { chore }: { chore?: unknown },
): Promise<Runtime['tasks']> {
  const { tasksFor } = await import('./invocation/tracker.ts');
  return tasksFor(call, runtime, chore === undefined ? [] : [String(chore)]);
}

function formOf(command: string, forms: readonly Form[], words: readonly string[]) {
  if (forms[0]!.action === '') return { form: forms[0]!, words };
  const [action = forms.length === 1 ? forms[0]!.action : 'list', ...rest] = words;
  const form = forms.find((each) => each.action === action);
  if (form !== undefined) return { form, words: rest };
  throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with a ${command}`, {
    hint: `expected: ${inWords(forms.map((each) => each.action))}`,
  });
}

async function readInput(
  command: string,
  { row, words, given = {}, stdin = [], action }: Form,
  forms: readonly Form[],
  typed: readonly string[],
  { options, terminal }: Call,
): Promise<Record<string, unknown>> {
  const title = action === '' ? command : `${command} ${action}`;
  if (typed.length > words.length)
    throw new RoomError('bad_input', `${title} takes no ${JSON.stringify(typed[words.length])}`, {
      hint: 'put quotes around a text with spaces',
    });
  const said = withOwnTask(words, typed, terminal.env.TASKROOM_TASK, row);
  const input: Record<string, unknown> = { ...given };
  for (const [at, name] of words.entries()) {
    const word = said[at];
    if (word !== undefined) input[name] = stdin.includes(name) ? await readText(word, terminal) : word;
    else if (row.fields.find((field) => field.name === name)!.isNeeded)
      throw new RoomError('bad_input', `no ${{ name: command, ref: 'task' }[name] ?? name} was given`, {
        hint: `taskroom ${[title, ...words.map((each) => `<${each === 'ref' ? 'task' : each}>`)].join(' ')}`,
      });
  }
  for (const [long, { spec, field, forms: takers }] of optionsOf(forms)) {
    const value = optionValue(field, spec.flags, options);
    if (value === undefined) continue;
    if (!takers.some((form) => form.action === action))
      throw new RoomError('bad_input', `${title} takes no --${long}`, {
        hint: `it goes with ${takers.map((form) => form.action).join(', ')}`,
      });
    input[field.name] = value;
  }
  if (input.task === undefined && row.fields.some(({ name, isNeeded }) => name === 'task' && isNeeded)) {
    input.task = terminal.env.TASKROOM_TASK;
    if (!input.task)
      throw new RoomError('bad_input', 'no task was given', { hint: `taskroom ${title} --task <task>` });
  }
  return input;
}

/** Inside a turn its own task is meant where the words leave it out. */
function withOwnTask(
  words: readonly string[],
  typed: readonly string[],
  own: string | undefined,
  { fields }: OperationRow,
): readonly string[] {
  const needed = words.filter((name) => fields.find((field) => field.name === name)!.isNeeded);
  return words[0] === 'ref' && own && typed.length < needed.length ? [own, ...typed] : typed;
}

function optionValue({ kind }: FieldRow, flags: string, options: Call['options']): unknown {
  const { long } = readFlags(flags);
  if (kind === 'text' && !flags.includes('<')) return options.flag(long) ? long : undefined;
  if (kind === 'flag') return options.flag(long) || undefined;
  if (kind === 'words') return options.texts(long).length === 0 ? undefined : options.texts(long);
  if (kind === 'texts') return options.all(long).length === 0 ? undefined : options.all(long);
  return (kind === 'number' ? options.whole(long, 0) : options.text(long)) ?? undefined;
}

async function tell({ row, command }: Form, output: unknown, call: Call): Promise<void> {
  const { paint, terminal } = call;
  const view = VIEWS[row.name];
  if (view !== undefined) {
    const lines = (await view())(output as never, paint, terminal.columns(), call.effects.now(), call);
    return terminal.write(`${lines.join('\n')}\n`);
  }
  const form = await declaredForm({ row, command });
  const { done } = form;
  if (done !== undefined)
    return tellChange(call, output as Changed, typeof done === 'string' ? done : done(output as never));
  const isSame = (output as { changed?: boolean }).changed === false;
  const [first = '', ...rest] = (form.said?.(output as never) ?? []).map(cleanLine);
  const sign = isSame ? paint('dim', '·') : paint('green', '✓');
  terminal.write(`${sign} ${first}${isSame ? paint('dim', ' (as before)') : ''}\n`);
  for (const line of rest) terminal.write(`  ${line}\n`);
}

/** With what its row leaves out. */
async function declaredForm({ row, command }: Pick<Form, 'row' | 'command'>): Promise<CommandForm> {
  const { cli } = (await OPERATIONS[row.name as keyof typeof OPERATIONS]()) as unknown as Operation;
  return [cli!].flat().find((each) => each.command === command)!;
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
