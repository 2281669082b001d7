// The one language by which tasks are found wherever they are listed: `status:todo label:web due:<friday words "of the text"`. Keys
// follow from TASK_KEYS, `@agent` and `#label` are short for two of them; every other word is looked for in name, title, id and text.
// Case is ignored.
import { suggest } from '../document/suggest.ts';
import { noDate, parseDate, spanOfDate } from '../time/durations.ts';
import type { ListedTask } from './listed-task.ts';
import { artifactNameOf } from './names.ts';
import { isFinished, type OwnStatuses, PRIORITIES, readStatus, STATUSES, statusWord } from './status.ts';
import { FILTER_KEYS, type FilterKey, factsOf } from './task-keys.ts';

export type FilteredTask = Pick<
  ListedTask,
  'id' | 'name' | 'title' | 'paused' | 'waiting' | 'own_status' | FilterKey
> & { running: string | null; blocked: boolean; pending: boolean; nothing_written: boolean };

export interface FilterTerm {
  key: FilterKey;
  values: readonly string[];
  sign: '' | '<' | '>' | '<=' | '>='; // `<` and `>` of a date: before and after it.
  exact?: true; // The values are given whole; else the beginning of one is enough where none is it exactly.
}

export interface TaskFilter {
  terms: FilterTerm[];
  words: string[]; // What is to be found in name, title, id or text, in small letters.
  oddKeys: string[]; // Words that look like a key with a value and are none: they are looked for as text.
}

const SIGNS: Readonly<Record<string, FilterKey>> = { '@': 'owner', '#': 'labels' };
const NAMES = new Map(
  FILTER_KEYS.flatMap((key) => [
    [key as string, key],
    [factsOf(key).filter!.as, key],
  ]),
);
const nameOf = (key: FilterKey) => factsOf(key).filter!.as;

export function parseFilter(text: string): TaskFilter {
  const filter: TaskFilter = { terms: [], words: [], oddKeys: [] };
  for (const [token] of text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const plain = unquoted(token);
    const [, name = '', value] = /^([a-z][a-z_-]*):(.*)$/is.exec(token) ?? [];
    const key = SIGNS[token[0]!] ?? NAMES.get(name.toLowerCase().replaceAll('-', '_'));
    const term = key === undefined ? null : parseTerm(key, value ?? token.slice(1));
    if (term !== null && term.values.length > 0) filter.terms.push(term);
    else if (key === undefined && plain !== '') {
      if (value && !value.startsWith('//')) filter.oddKeys.push(name);
      filter.words.push(plain.toLowerCase());
    }
  }
  return filter;
}

/** What stands behind a key: `todo,doing`, `"two words"`, `<friday`. */
function parseTerm(key: FilterKey, said: string): FilterTerm {
  const [, sign = '', list = ''] = /^([<>]=?)?(.*)$/s.exec(said)!;
  const values = [...list.matchAll(/(?:[^,"]|"[^"]*"?)+/g)].map(([value]) => unquoted(value)).filter(Boolean);
  return { key, sign: sign as FilterTerm['sign'], values };
}

const unquoted = (text: string) => text.replaceAll('"', '');

export function formatFilter({ terms, words }: Pick<TaskFilter, 'terms' | 'words'>): string {
  const quoted = (word: string) => (/^[@#<>=]|[\s,:"]/.test(word) || word === '' ? `"${word}"` : word);
  const said = terms.map(({ key, sign, values }) => `${nameOf(key)}:${sign}${values.map(quoted).join(',')}`);
  return [...said, ...words.map(quoted)].join(' ');
}

/** A term of a value that a caller gave under the key's own name. */
export function termOf(key: FilterKey, given: string | readonly string[]): FilterTerm {
  if (factsOf(key).kind === 'date') return { ...parseTerm(key, String(given)), exact: true };
  return { key, sign: '', values: [given].flat(), exact: true };
}

export interface FilterRoom {
  nowMs: number;
  /** The ids of the agents, and who takes a task without an owner; read where an owner is asked for. */
  agents?(): readonly string[];
  defaultAgent?(): string;
  statuses?(): OwnStatuses; // Read where a status is asked for; those of the tasks when absent.
  /** The tasks in which values are looked up; without them the beginning of a value is enough. */
  tasks?: readonly FilteredTask[];
}

type Fits = (task: FilteredTask) => boolean;

/** Whether a task has what the terms ask for, and what of them is said to whoever asked: unknown values and keys. */
export function createFilter(
  { terms, oddKeys = [] }: { terms: readonly FilterTerm[]; oddKeys?: readonly string[] },
  room: FilterRoom,
): { fits: Fits; notes: string[] } {
  const notes = oddKeys.map((name) => {
    const near = suggest(name, FILTER_KEYS.map(nameOf));
    return `${name}: is no key and is looked for as text${near === null ? '' : `; did you mean ${near}:?`}`;
  });
  const tests = terms.map((term) => testOf(term, room, notes));
  return { notes, fits: (task) => tests.every((test) => test(task)) };
}

function testOf(term: FilterTerm, room: FilterRoom, notes: string[]): Fits {
  const { key, values } = term;
  const kind = factsOf(key).kind;
  if (kind === 'date') return dateTest(term, room, notes);
  if (kind === 'task') return (task) => task.parent !== null && values.includes(localName(task.parent));
  const known = knownValues(key, room);
  const own = kind === 'status' ? ownStatusesOf(room) : null;
  const tests = values.map((typed): Fits => {
    const low = typed.toLowerCase();
    const sign = own === null ? null : signOf(low, known!);
    if (sign !== null) return sign;
    const said = own === null ? null : readStatus(typed, () => own);
    const value = said === null ? (term.exact && own === null ? typed : low) : statusWord(said);
    const wanted = known === null ? null : chosen(value, known, term.exact === true);
    if (wanted?.length === 0) notes.push(unknownValue(key, value, known!));
    const isMeant = (said: string) => wanted?.includes(said) ?? said.toLowerCase().startsWith(value);
    return (task) => valuesOf(task, key, room).some(isMeant);
  });
  return (task) => tests.some((test) => test(task));
}

/** Those that are the value, else those that begin with it. */
function chosen(value: string, known: readonly string[], exact: boolean): readonly string[] {
  const same = known.filter((each) => (exact ? each === value : each.toLowerCase() === value));
  return exact || same.length > 0 ? same : known.filter((each) => each.toLowerCase().startsWith(value));
}

function unknownValue(key: FilterKey, value: string, known: readonly string[]): string {
  const near = suggest(value, known);
  return `no ${nameOf(key)} is ${JSON.stringify(value)}${near === null ? '' : `; did you mean ${near}?`}`;
}

export const ownStatusesOf = ({ statuses, tasks = [] }: Omit<FilterRoom, 'nowMs'>): OwnStatuses =>
  statuses?.() ??
  Object.fromEntries(tasks.flatMap(({ status, own_status: own }) => (own ? [[own, status]] : [])));

/** Null where any value may be meant. */
function knownValues(key: FilterKey, room: FilterRoom): string[] | null {
  if (key === 'status') return [...STATUSES, ...Object.keys(ownStatusesOf(room))];
  if (key === 'priority') return [...PRIORITIES];
  const { tasks } = room;
  if (tasks === undefined) return null;
  const agents = key === 'owner' ? (room.agents?.() ?? []) : [];
  return [...new Set([...agents, ...tasks.flatMap((task) => valuesOf(task, key, room))])];
}

function valuesOf(task: FilteredTask, key: FilterKey, room: FilterRoom): readonly string[] {
  if (key === 'priority') return [task.priority ?? 'medium'];
  if (key === 'owner') return [task.owner ?? room.defaultAgent?.() ?? ''];
  // A status of the room's own is one of its class, too.
  if (key === 'status') return [task.status, statusWord(task)];
  const value = task[key] ?? [];
  if (typeof value !== 'string') return value;
  return [key === 'artifact' ? artifactNameOf(value) : value];
}

const localName = (ref: string) => ref.trim().replace(/^task:(local:)?/, '');

function dateTest({ key, sign, values }: FilterTerm, { nowMs }: FilterRoom, notes: string[]): Fits {
  const spans = values.flatMap((value) => {
    const span = spanOfDate(parseDate(value, nowMs));
    if (span === null) notes.push(noDate(nameOf(key), value).message);
    return span ?? [];
  });
  return (task) => {
    const at = spanOfDate(task[key as 'due'])?.endMs ?? null;
    if (at === null) return false;
    return spans.some(({ startMs, endMs }) => {
      if (sign === '<') return at < startMs;
      if (sign === '>') return at > endMs;
      return (sign === '<=' || at >= startMs) && (sign === '>=' || at <= endMs);
    });
  };
}

/** What else a status may say of an open task. */
export const TASK_SIGNS: Readonly<Record<string, Fits>> = {
  running: ({ running }) => running !== null,
  paused: ({ paused, status }) => paused && !isFinished(status),
  blocked: ({ blocked }) => blocked,
  waiting: ({ waiting }) => waiting,
  silent: ({ nothing_written }) => nothing_written,
  queued: ({ pending, running }) => pending && running === null,
};

/** Null for a status itself. */
function signOf(value: string, statuses: readonly string[]): Fits | null {
  if (statuses.some((status) => status.startsWith(value))) return null;
  const sign = Object.keys(TASK_SIGNS).find((each) => each.startsWith(value));
  return sign === undefined ? null : TASK_SIGNS[sign]!;
}

const heads = new WeakMap<object, string>();

export function wordsNotInHead(task: Pick<ListedTask, 'id' | 'name' | 'title'>, words: readonly string[]) {
  const head = heads.get(task) ?? `${task.name}\n${task.title ?? ''}\n${task.id ?? ''}`.toLowerCase();
  heads.set(task, head);
  return words.filter((word) => !head.includes(word));
}
