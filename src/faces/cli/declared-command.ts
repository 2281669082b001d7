// A command made of what its operations declare: its words and options, and what it says when it is done. One of several operations
// has an action as its first word; `list` is meant without one.
import { RoomError } from '../../core/errors.ts';
import type { Client } from '../../operations/client.ts';
import { OPERATIONS } from '../../operations/index.ts';
import type { CommandForm, Operation } from '../../operations/operation.ts';
import type { FieldRow, OperationRow } from '../../operations/row.ts';
import { ROWS, SUBJECT_ROWS } from '../../operations/table.ts';
import type { ArgumentSpec, Call, CommandModule, OptionSpec } from './command.ts';
import { readFlags } from './command.ts';
import { readText } from './invocation/caller.ts';
import { cleanLine } from './lines/display-text.ts';
import { VIEWS } from './views/views.ts';

interface Form extends CommandForm {
  row: OperationRow;
  /** '' for a command that has one alone. */
  action: string;
}

/** @param command of a subject: `scope` */
export function declaredCommand(command: string): CommandModule {
  const forms = Object.values(ROWS).flatMap((row) =>
    row.forms
      .filter((form) => form.command.split(' ')[0] === command)
      .map((form) => ({ ...form, row, action: form.command.split(' ')[1] ?? '' })),
  );
  const { about, examples } = SUBJECT_ROWS[command]!;
  return {
    ...{ about, examples },
    arguments: wordsOf(forms),
    options: [...optionsOf(forms).values()].map(({ spec }) => spec),
    run: (call) => run(command, forms, call),
  };
}

function wordsOf(forms: readonly Form[]): ArgumentSpec[] {
  const most = Math.max(...forms.map(({ words }) => words.length));
  const actions = forms.map(({ action }) => action);
  const places = Array.from({ length: most }, (_, at) => [
    ...new Set(forms.flatMap(({ words }) => words[at] ?? [])),
  ]);
  return [
    { name: 'action', about: `${inWords(actions)}; list when left out`, optional: true },
    ...places.map((names, at) => ({
      name: names.join('|'),
      about: names.map((name) => aboutWord(forms, name, at)).join('; '),
      optional: true,
    })),
  ];
}

function aboutWord(forms: readonly Form[], name: string, at: number): string {
  const having = forms.filter(({ words }) => words[at] === name);
  const field = having.map(({ row }) => row.fields.find((each) => each.name === name)!);
  const about = field.find((each) => each.about !== '')?.about ?? `the ${name}`;
  const isStdin = having.some(({ stdin }) => stdin?.includes(name));
  const whose =
    having.length === forms.filter(({ words }) => words.length > at).length ? '' : `${having[0]!.action}: `;
  return `${whose}${about}${isStdin ? ', or - for stdin' : ''}`;
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
          spec: { flags: spelled, about: field.about, ...(field.kind === 'texts' ? { many: true } : {}) },
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

async function run(command: string, forms: readonly Form[], call: Call): Promise<undefined> {
  const [action = 'list', ...words] = call.words;
  const form = forms.find((each) => each.action === action);
  if (form === undefined)
    throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with a ${command}`, {
      hint: `expected: ${inWords(forms.map((each) => each.action))}`,
    });
  const input = await readInput(command, form, forms, words, call);
  const { row } = form;
  const runtime = await call.openRoom(row.needs === 'read' ? { readOnly: true } : {});
  const output = await (runtime.tasks as Client).call(row.name as never, input as never, runtime.caller);
  if (call.json) call.terminal.write(`${JSON.stringify(output)}\n`);
  else await tell(form, output, call);
}

async function readInput(
  command: string,
  { row, words, given = {}, stdin = [], action }: Form,
  forms: readonly Form[],
  said: readonly string[],
  { options, terminal }: Call,
): Promise<Record<string, unknown>> {
  if (said.length > words.length)
    throw new RoomError('bad_input', `${command} ${action} takes no ${JSON.stringify(said[words.length])}`, {
      hint: 'put quotes around a text with spaces',
    });
  const input: Record<string, unknown> = { ...given };
  for (const [at, name] of words.entries()) {
    const word = said[at];
    if (word !== undefined) input[name] = stdin.includes(name) ? await readText(word, terminal) : word;
    else if (row.fields.find((field) => field.name === name)!.isNeeded)
      throw new RoomError('bad_input', `no ${name === 'name' ? command : name} was given`, {
        hint: `taskroom ${command} ${[action, ...words.map((each) => `<${each}>`)].join(' ')}`,
      });
  }
  for (const [long, { field, forms: takers }] of optionsOf(forms)) {
    const value = optionValue(field, long, options);
    if (value === undefined) continue;
    if (!takers.some((form) => form.action === action))
      throw new RoomError('bad_input', `${command} ${action} takes no --${long}`, {
        hint: `it goes with ${takers.map((form) => form.action).join(', ')}`,
      });
    input[field.name] = value;
  }
  return input;
}

function optionValue({ kind }: FieldRow, long: string, options: Call['options']): unknown {
  if (kind === 'flag') return options.flag(long) || undefined;
  if (kind === 'texts') return options.all(long).length === 0 ? undefined : options.all(long);
  return (kind === 'number' ? options.whole(long, 0) : options.text(long)) ?? undefined;
}

async function tell({ row, command }: Form, output: unknown, call: Call): Promise<void> {
  const { paint, terminal } = call;
  const view = VIEWS[row.name];
  if (view !== undefined) {
    const lines = (await view())(output as never, paint, terminal.columns());
    terminal.write(`${lines.join('\n')}\n`);
    return;
  }
  const { cli } = (await OPERATIONS[row.name as keyof typeof OPERATIONS]()) as unknown as Operation;
  const form = [cli!].flat().find((each) => each.command === command)!;
  const isSame = (output as { changed?: boolean }).changed === false;
  const [first = '', ...rest] = (form.said?.(output as never) ?? []).map(cleanLine);
  const sign = isSame ? paint('dim', '·') : paint('green', '✓');
  terminal.write(`${sign} ${first}${isSame ? paint('dim', ' (as before)') : ''}\n`);
  for (const line of rest) terminal.write(`  ${line}\n`);
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
