// What a key of front matter can hold: how each kind of value is read, and what the docs call it. Any other value is a problem.
import { type Budget, parseChecks, readBudget } from '../config/values.ts';
import type { ParsedDocument } from '../document/document.ts';
import { suggest } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import { isTaskId, type TaskId } from '../ids.ts';
import { defined } from '../plain-data.ts';
import { providerOfRemote, REMOTE_EXAMPLES } from './names.ts';
import { type OwnStatuses, PRIORITIES, type Priority, readStatus, STATUSES, type Status } from './status.ts';

/** The keys of one file as they are read; what can't be read is reported to `problems`. */
export interface FileKeys {
  doc: ParsedDocument;
  path: string;
  problems: Problem[];
  words?: StatusWords; // Read where a status is none of ours; null where any word will do.
}

/** The settings of the room that a file is read in, for its own statuses; null where it does not matter what a status means. */
export type StatusWords = (() => { readonly statuses: OwnStatuses }) | null;

const TRUE = new Set(['true', 'yes', 'on']);
const FALSE = new Set(['false', 'no', 'off']);

/** True and false, also as yes/no and on/off; null for anything else. */
export function parseFlag(value: unknown): boolean | null {
  const word = String(value).trim().toLowerCase();
  return TRUE.has(word) ? true : FALSE.has(word) ? false : null;
}

/** Notes a problem at the key's place; the key then reads as if it were missing. */
export function reportKey(keys: FileKeys, key: string, message: string, expected: string, hint?: string) {
  keys.problems.push({ path: keys.path, ...keys.doc.places(key), message, expected, ...defined({ hint }) });
  return null;
}

/** The key's value; null for a missing or empty one. */
export const keyValue = ({ doc }: FileKeys, key: string): unknown =>
  Object.hasOwn(doc.data, key) ? (doc.data[key] ?? null) : null;

export function readText(keys: FileKeys, key: string, found = keyValue(keys, key)): string | null {
  if (found === null) return null;
  if (typeof found === 'object')
    return reportKey(keys, key, `${key} holds a ${Array.isArray(found) ? 'list' : 'map'}`, 'one text');
  // A number or a boolean is taken as it was written: `id: 007` is "007".
  const written = keys.doc.sources[key] ?? String(found);
  if (written.trim() === '') return null;
  return typeof found === 'string' ? found : written;
}

/** Texts; one text with commas between is a list too. Empty for a missing key. */
export function readList(keys: FileKeys, key: string, found = keyValue(keys, key)): string[] {
  if (found === null) return [];
  if (typeof found === 'object' && !Array.isArray(found)) {
    reportKey(keys, key, `${key} holds a map`, 'a list of texts', `write it as a list: ${key}: [one, two]`);
    return [];
  }
  const items = Array.isArray(found) ? found : String(found).split(',');
  if (items.some((item) => typeof item === 'object' && item !== null))
    reportKey(keys, key, `${key} holds more than texts`, 'a list of texts');
  return items.map((item) => String(item ?? '').trim()).filter((item) => item !== '');
}

function readFlag(keys: FileKeys, key: string, found: unknown): boolean {
  const flag = parseFlag(found);
  const expected = 'true or false (yes/no and on/off too)';
  if (flag === null) reportKey(keys, key, `${key} is ${JSON.stringify(found)}`, expected);
  return flag ?? false;
}

function readNumber(keys: FileKeys, key: string, found: unknown): number | null {
  if (typeof found === 'number' && Number.isFinite(found)) return found;
  const written = keys.doc.sources[key] ?? JSON.stringify(found);
  return reportKey(keys, key, `${key} is ${written}`, 'a number');
}

export type Resource = { kind: 'url' | 'file'; value: string; label: string | null };

interface KindOfValue {
  takes: string;
  otherwise: string; // What a missing key means, in the documentation and as a value.
  missing: unknown;
  read(keys: FileKeys, key: string, found: unknown): unknown;
}

const none = { otherwise: 'none', missing: null };
const list = { takes: 'list', otherwise: 'empty', missing: [], read: readList };

export const KINDS = {
  line: { ...none, takes: 'text', read: readText },
  date: { ...none, takes: 'date', read: readText },
  agent: { takes: 'agent id', otherwise: "the room's `default_agent`", missing: null, read: readText },
  task: { ...none, takes: 'reference', read: readText },
  tasks: list,
  list,
  id: { ...none, takes: 'text', read: readId },
  requester: { takes: 'text', otherwise: '`owner`', missing: 'owner', read: readRequester },
  status: { takes: 'word', otherwise: '`todo`', missing: 'todo', read: statusOfKey },
  flag: { takes: 'flag', otherwise: '`false`', missing: false, read: readFlag },
  priority: { takes: 'word', otherwise: '`medium`', missing: null, read: readPriority },
  number: { ...none, takes: 'number', read: readNumber },
  resources: { takes: 'list', otherwise: 'empty', missing: [], read: readResources },
  remote: { ...none, takes: 'text', read: readRemote },
  checks: { takes: 'a shell command, or a list of them', otherwise: 'none', missing: [], read: readChecks },
  budget: { takes: 'map', otherwise: '`budgets.per_task` of the room', missing: null, read: readTaskBudget },
} satisfies Readonly<Record<string, KindOfValue>>;

export type Kind = keyof typeof KINDS;
export type ValueOf<K extends Kind> = ReturnType<(typeof KINDS)[K]['read']>;

function readId(keys: FileKeys, key: string, found: unknown): TaskId | null {
  const id = readText(keys, key, found);
  if (id === null || isTaskId(id)) return id;
  const expected = 'letters, digits, `.`, `-` and `_`, a letter or digit first, at most 64';
  const message = `id ${JSON.stringify(id)} can't be used`;
  return reportKey(keys, key, message, expected, 'remove the line to get a new id');
}

function readRequester(keys: FileKeys, key: string, found: unknown): string {
  return readText(keys, key, found) ?? 'owner';
}

function statusOfKey(keys: FileKeys, key: string, found: unknown): Status {
  const word = readText(keys, key, found) ?? 'todo';
  const said = readSaid(keys, word);
  if (said !== null || !keys.words) return said?.status ?? 'todo';
  const known = [...STATUSES, ...Object.keys(keys.words().statuses)];
  const near = suggest(word, known);
  const hint = near === null ? undefined : `did you mean ${near}?`;
  reportKey(keys, key, `unknown status ${JSON.stringify(word)}`, known.join(', '), hint);
  return 'todo';
}

const readSaid = ({ words }: FileKeys, word: string) => readStatus(word, () => words?.().statuses ?? {});

export const ownStatusOf = (keys: FileKeys): string | undefined =>
  readSaid(keys, readText(keys, 'status') ?? 'todo')?.ownStatus;

function readPriority(keys: FileKeys, key: string, found: unknown): Priority | null {
  const word = readText(keys, key, found)?.toLowerCase() ?? null;
  if (word === null || (PRIORITIES as readonly string[]).includes(word)) return word as Priority | null;
  return reportKey(keys, key, `unknown priority ${JSON.stringify(word)}`, PRIORITIES.join(', '));
}

/** A mirrored task must never look like one of the person's own. */
function readRemote(keys: FileKeys, key: string, found: unknown): string | null {
  const word = readText(keys, key, found);
  if (word === null || providerOfRemote(word) !== null) return word;
  const hint = 'write it so, or remove it';
  return reportKey(keys, key, `${JSON.stringify(word)} names no tracker`, REMOTE_EXAMPLES, hint);
}

/** One text is one command, commas and all. */
function readChecks(keys: FileKeys, key: string, found: unknown): string[] {
  if (found === '') return [];
  const checks = parseChecks(found);
  if (checks === null)
    reportKey(keys, key, 'checks that can not be run', 'a shell command, or a list of them');
  return checks ?? [];
}

function readTaskBudget(keys: FileKeys, key: string, value: unknown): Budget | null {
  const found = readBudget(value);
  return 'value' in found ? found.value : reportKey(keys, key, `budget: ${found.fault}`, found.expected);
}

function readResources(keys: FileKeys, key: string, found: unknown): Resource[] {
  const items = Array.isArray(found) ? found : [found];
  return items.flatMap((item) => {
    const resource = toResource(item);
    if (resource === null)
      reportKey(keys, key, "a resource that can't be read", 'a URL, a path, or {url|file, label}');
    return resource ?? [];
  });
}

function toResource(item: unknown): Resource | null {
  if (typeof item === 'string')
    return { kind: /^[a-z][a-z0-9+.-]*:\/\//i.test(item) ? 'url' : 'file', value: item, label: null };
  if (typeof item !== 'object' || item === null) return null;
  const record = item as Record<string, unknown>;
  const kind = typeof record.url === 'string' ? 'url' : 'file';
  const value = record[kind];
  if (typeof value !== 'string') return null;
  return { kind, value, label: typeof record.label === 'string' ? record.label : null };
}
