// The words and options of each form of a command that is made from operations.
import type { FieldRow, FormRow, OperationRow } from '../operations/row.ts';
import { type ArgumentSpec, type OptionSpec, readFlags } from './command.ts';

export interface Form extends FormRow {
  row: OperationRow;
  action: string; // '' in a command without actions; `--all` for a form that this flag chooses.
  takesMany: boolean; // Its last word may be several.
  joined: string | null; // All its last words are one text, which an option may say, too.
}

export function formsOf(rows: readonly OperationRow[]): Form[] {
  const all = rows.flatMap((row) =>
    row.forms.map((form) => ({
      ...form,
      row,
      action: form.command.split(' ')[1] ?? (form.flag === undefined ? '' : `--${form.flag[0]}`),
      words: form.words.map((word) => word.replace(MANY, '').replace(/\+$/, '')),
      joined: form.words.find((word) => word.endsWith('+'))?.slice(0, -1) ?? null,
      takesMany: form.words.some((word) => MANY.test(word)),
      stdin: [...(form.words.includes('text') ? ['text'] : []), ...(form.stdin ?? [])],
    })),
  );
  // The help is about the form that needs no flag.
  return all.toSorted((a, b) => Number(a.flag !== undefined) - Number(b.flag !== undefined));
}

const MANY = /\.\.\.$/;

export function wordsOf(forms: readonly Form[]): ArgumentSpec[] {
  const [{ action, takesMany }] = forms as [Form];
  const most = Math.max(...forms.map(({ words }) => words.length));
  const words = Array.from({ length: most }, (_, at) => {
    const names = [...new Set(forms.flatMap((form) => form.words[at] ?? []))];
    return {
      name: names.map((name) => (name === 'ref' ? 'task' : name)).join('|'),
      about: names.map((name) => aboutWord(forms, name, at)).join('; '),
      optional: true,
      many: (takesMany || forms.some(({ joined }) => joined !== null)) && at === most - 1,
    };
  });
  if (action === '') return words;
  const about = `${inWords([...new Set(forms.map((form) => form.action))])}; ${forms.length === 1 ? action : 'list'} when left out`;
  return [{ name: 'action', about, optional: true }, ...words];
}

function aboutWord(forms: readonly Form[], name: string, at: number): string {
  const having = forms.filter(({ words }) => words[at] === name);
  const fields = having.map(({ row }) => row.fields.find((each) => each.name === name)!);
  const isOwn = name === 'ref' && fields.every(({ isNeeded }) => isNeeded);
  const isMany = having.some(({ takesMany, words }) => takesMany && words.at(-1) === name);
  const isAll = having.length === forms.filter(({ words }) => words.length > at).length;
  return [
    isAll ? '' : `${having[0]!.action}: `,
    isMany ? 'one or more, each by ' : '',
    fields.find(({ about }) => about !== '')?.about ?? `the ${name}`,
    having.some(({ stdin }) => stdin?.includes(name)) ? FROM_STDIN : '',
    isOwn ? '; inside a turn its own may be left out' : '',
  ].join('');
}

const FROM_STDIN = ', or - to read it from stdin';

/** Inputs that are not spelled `--name <name>` in any command. */
const FLAGS: Readonly<Record<string, string>> = {
  ...{ owner: '--owner <agent>', parent: '--parent <task>', artifact: '--artifact <name>' },
  ...{ labels: '--label <label>', blocked_by: '--blocked-by <task>', resources: '--resource <url|path>' },
  ...{ steps: '--step <title>', outcome: '--outcome <text>', without_checks: '--without-checks <reason>' },
};

function spelled({ name, kind }: FieldRow, { flags = {} }: Form): string {
  const shown = name.replaceAll('_', '-');
  const value = kind === 'flag' ? '' : ` <${kind === 'number' ? kind : shown}>`;
  return flags[name] ?? FLAGS[name] ?? `--${shown}${value}`;
}

export type Offered = { spec: OptionSpec; field: FieldRow; forms: Form[] };

export function optionsOf(forms: readonly Form[]): Map<string, Offered> {
  const offered = new Map<string, Offered>();
  for (const form of forms)
    for (const field of form.row.fields) {
      const { words, given = {}, only } = form;
      const isWord = words.includes(field.name) && field.name !== form.joined;
      const isTaken = isWord || field.name === form.input || field.name in given;
      const isHidden = form.flags?.[field.name] === null;
      if (isTaken || isHidden || only?.includes(field.name) === false) continue;
      const flags = spelled(field, form);
      const { long } = readFlags(flags);
      const many = /^(text|word)s$/.test(field.kind) ? ('many' as const) : undefined;
      if (!offered.has(long))
        offered.set(long, { spec: [flags, aboutOption(field, form), many], field, forms: [] });
      offered.get(long)!.forms.push(form);
    }
  for (const each of offered.values()) {
    const actions = actionsOf(each.forms);
    const [flags, about, many] = each.spec;
    if (each.forms.length < forms.length && actions !== '' && !each.forms.some(({ flag }) => flag))
      each.spec = [flags, `${actions}: ${about}`, many];
  }
  return offered;
}

function aboutOption({ name, about }: FieldRow, { stdin = [], fromOne = [] }: Form): string {
  const counted = fromOne.includes(name) ? about.replace(/\bfrom 0\b/, 'from 1') : about;
  return stdin.includes(name) && !/stdin/.test(about) ? `${counted}${FROM_STDIN}` : counted;
}

/** The flags that choose a form or set inputs. */
export function flagsOf(forms: readonly Form[]): OptionSpec[] {
  const meant = forms.flatMap(({ flag }) => (flag?.[1] === undefined ? [] : [[flag[0], flag[1]] as const]));
  const switches = forms.flatMap(({ switches = {} }) =>
    Object.entries(switches).map(([name, { about }]) => [name, about] as const),
  );
  const yes = forms.some(({ asks }) => asks) ? [['yes', 'do not ask'] as const] : [];
  return [...meant, ...switches, ...yes].map(([name, about]) => [`--${name}`, about]);
}

export const actionsOf = (forms: readonly Form[]) =>
  [...new Set(forms.flatMap(({ action }) => action || []))].join(', ');

export const inWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
