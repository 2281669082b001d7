// The forms of a command that is made of operations: the words and options that each offers.
import type { CommandForm } from '../operations/operation.ts';
import type { FieldRow, OperationRow } from '../operations/row.ts';
import { type ArgumentSpec, type OptionSpec, readFlags } from './command.ts';

export interface Form extends CommandForm {
  row: OperationRow;
  /** '' for a command that has one alone, `--all` for the form that this flag means. */
  action: string;
  /** Its last word may be several. */
  takesMany: boolean;
}

export function formsOf(rows: readonly OperationRow[]): Form[] {
  const all = rows.flatMap((row) =>
    row.forms.map((form) => ({
      ...form,
      row,
      action: form.command.split(' ')[1] ?? (form.flag === undefined ? '' : `--${form.flag[0]}`),
      words: form.words.map((word) => word.replace(MANY, '')),
      takesMany: form.words.some((word) => MANY.test(word)),
    })),
  );
  // The one that no flag has to be given for is what its help is about.
  return all.toSorted((a, b) => Number(a.flag !== undefined) - Number(b.flag !== undefined));
}

const MANY = /\.\.\.$/;

export function wordsOf(forms: readonly Form[]): ArgumentSpec[] {
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

function aboutOption({ name, about }: FieldRow, { stdin = [], fromOne = [] }: Form): string {
  const counted = fromOne.includes(name) ? about.replace(/\bfrom 0\b/, 'from 1') : about;
  return stdin.includes(name) && !/stdin/.test(about) ? `${counted}, or - to read it from stdin` : counted;
}

interface Offered {
  spec: OptionSpec;
  field: FieldRow;
  forms: Form[];
}

/** By long name. */
export function optionsOf(forms: readonly Form[]): Map<string, Offered> {
  const offered = new Map<string, Offered>();
  for (const form of forms)
    for (const field of form.row.fields) {
      const { words, given = {}, flags = {}, only } = form;
      const isWord = words.includes(field.name) || field.name === form.input;
      if (isWord || field.name in given || flags[field.name] === null) continue;
      if (only !== undefined && !only.includes(field.name)) continue;
      const shown = field.name.replaceAll('_', '-');
      const spelled = flags[field.name] ?? `--${shown}${field.kind === 'flag' ? '' : ` <${shown}>`}`;
      const { long } = readFlags(spelled);
      const before = offered.get(long);
      if (before !== undefined) before.forms.push(form);
      else
        offered.set(long, {
          spec: {
            flags: spelled,
            about: aboutOption(field, form),
            ...(['texts', 'words'].includes(field.kind) ? { many: true } : {}),
          },
          ...{ field, forms: [form] },
        });
    }
  for (const each of offered.values())
    if (
      each.forms.length < forms.length &&
      each.forms.every(({ flag }) => flag === undefined) &&
      actionsOf(each.forms) !== ''
    )
      each.spec = {
        ...each.spec,
        about: `${actionsOf(each.forms)}: ${each.spec.about}`,
      };
  return offered;
}

export const actionsOf = (forms: readonly Form[]) =>
  forms.flatMap(({ action }) => (action === '' ? [] : [action])).join(', ');

export function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
