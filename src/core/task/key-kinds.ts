// What a key of a task's front matter can hold, each kind once: how it is read, and what the documentation calls it. A value of
// another kind is a problem with its place.
import { type Budget, readBudget } from '../config/budget.ts';
import { parseChecks } from '../config/values.ts';
import type { ParsedDocument } from '../document/document.ts';
import { suggest } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import { isTaskId, type TaskId } from '../ids.ts';
import { providerOfRemote, REMOTE_EXAMPLES } from './names.ts';
import { PRIORITIES, type Priority, parseStatus, STATUSES, type Status } from './status.ts';

// Values of front matter keys, each as the type it must have. A value of another type is a problem with its place, and
// reads as if the key were missing.
export type KeyReader = ReturnType<typeof createKeyReader>;

const TRUE = new Set(['true', 'yes', 'on']);
const FALSE = new Set(['false', 'no', 'off']);

/** True and false, also as yes/no and on/off; null for anything else. */
export function parseFlag(value: unknown): boolean | null {
  const word = String(value).trim().toLowerCase();
  return TRUE.has(word) ? true : FALSE.has(word) ? false : null;
}

/** @param path of the file, for problems */
export function createKeyReader(doc: ParsedDocument, path: string) {
  const problems: Problem[] = [];
  const report = (key: string, message: string, expected: string, hint?: string | null): null => {
    const { line, col } = doc.places(key);
    problems.push({ path, line, col, message, expected, ...(hint ? { hint } : {}) });
    return null;
  };
  const value = (key: string): unknown => (Object.hasOwn(doc.data, key) ? (doc.data[key] ?? null) : null);
  return {
    problems,
    report,
    value,
    text(key: string): string | null {
      const found = value(key);
      if (found === null) return null;
      if (typeof found === 'object')
        return report(key, `${key} holds a ${Array.isArray(found) ? 'list' : 'map'}`, 'one text');
      // A number or a boolean is taken as it was written: `id: 007` is "007".
      const written = doc.sources[key] ?? String(found);
      if (written.trim() === '') return null;
      return typeof found === 'string' ? found : written;
    },
    flag(key: string): boolean {
      const found = value(key);
      const flag = found === null ? false : parseFlag(found);
      if (flag === null)
        report(key, `${key} is ${JSON.stringify(found)}`, 'true or false (yes/no and on/off too)');
      return flag ?? false;
    },
    number(key: string): number | null {
      const found = value(key);
      if (found === null || (typeof found === 'number' && Number.isFinite(found))) return found;
      return report(key, `${key} is ${doc.sources[key] ?? JSON.stringify(found)}`, 'a number');
    },
    /** Texts; one text with commas between is a list too. Empty for a missing key. */
    list(key: string): string[] {
      const found = value(key);
      if (found === null) return [];
      if (typeof found === 'object' && !Array.isArray(found)) {
        report(key, `${key} holds a map`, 'a list of texts', `write it as a list: ${key}: [one, two]`);
        return [];
      }
      const items = Array.isArray(found) ? found : String(found).split(',');
      if (items.some((item) => typeof item === 'object' && item !== null))
        report(key, `${key} holds more than texts`, 'a list of texts');
      return items.map((item) => String(item ?? '').trim()).filter((item) => item !== '');
    },
  };
}

export interface Resource {
  kind: 'url' | 'file';
  value: string;
  label: string | null;
}

interface KindOfValue {
  takes: string;
  /** What a missing key means, in the documentation. */
  otherwise: string;
  read(keys: KeyReader, key: string): unknown;
}

const text = (takes = 'text', otherwise = 'none') => ({
  ...{ takes, otherwise },
  read: (keys: KeyReader, key: string) => keys.text(key),
});
const list = () => ({
  ...{ takes: 'list', otherwise: 'empty' },
  read: (keys: KeyReader, key: string) => keys.list(key),
});

export const KINDS = {
  line: text(),
  date: text('date'),
  agent: text('agent id', "the room's `default_agent`"),
  task: text('reference'),
  tasks: list(),
  list: list(),
  id: { takes: 'text', otherwise: 'none', read: readId },
  requester: {
    ...{ takes: 'text', otherwise: '`owner`' },
    read: (keys: KeyReader, key: string) => keys.text(key) ?? 'owner',
  },
  status: { takes: 'word', otherwise: '`todo`', read: readStatus },
  flag: {
    ...{ takes: 'flag', otherwise: '`false`' },
    read: (keys: KeyReader, key: string) => keys.flag(key),
  },
  priority: { takes: 'word', otherwise: '`medium`', read: readPriority },
  number: {
    ...{ takes: 'number', otherwise: 'none' },
    read: (keys: KeyReader, key: string) => keys.number(key),
  },
  resources: { takes: 'list', otherwise: 'empty', read: readResources },
  remote: { takes: 'text', otherwise: 'none', read: readRemote },
  checks: { takes: 'a shell command, or a list of them', otherwise: 'none', read: readChecks },
  budget: { takes: 'map', otherwise: '`budgets.per_task` of the room', read: readTaskBudget },
} satisfies Readonly<Record<string, KindOfValue>>;

export type Kind = keyof typeof KINDS;
export type ValueOf<K extends Kind> = ReturnType<(typeof KINDS)[K]['read']>;

function readId(keys: KeyReader, key: string): TaskId | null {
  const id = keys.text(key);
  if (id === null || isTaskId(id)) return id;
  const message = `id ${JSON.stringify(id)} can't be used`;
  return keys.report(
    key,
    message,
    'letters, digits, `.`, `-` and `_`, a letter or digit first, at most 64',
    'remove the line to get a new id',
  );
}

function readStatus(keys: KeyReader, key: string): Status {
  const word = keys.text(key);
  const status = word === null ? 'todo' : parseStatus(word);
  if (status !== null) return status;
  const near = suggest(word!, STATUSES);
  const hint = near && `did you mean ${near}?`;
  keys.report(key, `unknown status ${JSON.stringify(word)}`, STATUSES.join(', '), hint);
  return 'todo';
}

function readPriority(keys: KeyReader, key: string): Priority | null {
  const word = keys.text(key)?.toLowerCase() ?? null;
  if (word === null || (PRIORITIES as readonly string[]).includes(word)) return word as Priority | null;
  return keys.report(key, `unknown priority ${JSON.stringify(word)}`, PRIORITIES.join(', '));
}

/** A mirrored task must never look like one of the person's own. */
function readRemote(keys: KeyReader, key: string): string | null {
  const word = keys.text(key);
  if (word === null || providerOfRemote(word) !== null) return word;
  const hint = 'write it so, or remove it';
  return keys.report(key, `${JSON.stringify(word)} names no tracker`, REMOTE_EXAMPLES, hint);
}

/** One text is one command, commas and all. */
function readChecks(keys: KeyReader, key: string): string[] {
  const found = keys.value(key);
  if (found === null || found === '') return [];
  return (
    parseChecks(found) ??
    keys.report(key, 'checks that can not be run', 'a shell command, or a list of them') ??
    []
  );
}

function readTaskBudget(keys: KeyReader, key: string): Budget | null {
  const value = keys.value(key);
  if (value === null) return null;
  const found = readBudget(value);
  return 'value' in found ? found.value : keys.report(key, `budget: ${found.fault}`, found.expected);
}

function readResources(keys: KeyReader, key: string): Resource[] {
  const found = keys.value(key);
  if (found === null) return [];
  const items = Array.isArray(found) ? found : [found];
  return items.flatMap((item) => {
    const resource = toResource(item);
    if (resource === null)
      keys.report(key, "a resource that can't be read", 'a URL, a path, or {url|file, label}');
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
