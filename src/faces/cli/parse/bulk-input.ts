// Changes of several tasks as JSON → what the operation takes. What is off is named by its place, with what is allowed.
import { suggest } from '../../../core/document/suggest.ts';
import { RoomError } from '../../../core/errors.ts';
import { parseStatus, STATUSES, type Status } from '../../../core/task/status.ts';
import type { BulkChange, NewTask } from '../../../tasks/contract/operations.ts';
import { readPriority } from './priority.ts';

const KINDS = ['create', 'update', 'complete', 'delete'] as const;

const MEMBERS = {
  create: ['do', 'task'],
  update: ['do', 'ref', 'changes', 'text', 'status'],
  complete: ['do', 'ref', 'outcome'],
  delete: ['do', 'ref'],
} as const;

const TEXTS = ['name', 'body', 'title', 'owner', 'parent', 'sprint', 'artifact', 'scope'] as const;
const LISTS = { labels: 'labels', blocked_by: 'blockedBy' } as const;
const NEW_TASK = [...TEXTS, ...Object.keys(LISTS), 'status', 'priority', 'sort'];

/** @throws RoomError `bad_input` */
export function readBulk(text: string): BulkChange[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad('stdin', `it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(value)) throw bad('stdin', 'expected a list of changes: [{"do": …}, …]');
  return value.map((change, index) => readChange(change, `change at index ${index}`));
}

function readChange(value: unknown, at: string): BulkChange {
  const change = objectAt(value, at);
  const kind = wordAt(change.do, `${at}, do`, KINDS);
  assertKnown(change, at, MEMBERS[kind]);
  if (kind === 'create') return { do: kind, task: readTask(change.task, `${at}, task`) };
  const ref = textAt(change.ref, `${at}, ref`);
  if (kind === 'delete') return { do: kind, ref };
  if (kind === 'complete')
    return {
      do: kind,
      ref,
      ...(change.outcome === undefined ? {} : { outcome: textAt(change.outcome, `${at}, outcome`) }),
    };
  return {
    do: kind,
    ref,
    changes: readKeys(change.changes ?? {}, `${at}, changes`),
    ...(change.text === undefined ? {} : { text: textAt(change.text, `${at}, text`) }),
    ...statusOf(change, at),
  };
}

function readKeys(value: unknown, at: string): Record<string, string> {
  const keys = Object.entries(objectAt(value, at));
  return Object.fromEntries(
    keys.map(([key, given]) => {
      const isPlain = ['string', 'number', 'boolean'].includes(typeof given);
      if (!isPlain) throw bad(`${at}.${key}`, 'expected a text; a list has commas, "" removes the key');
      return [key, String(given)];
    }),
  );
}

function readTask(value: unknown, at: string): NewTask {
  const given = objectAt(value, at);
  assertKnown(given, at, NEW_TASK);
  const task: NewTask = { name: textAt(given.name, `${at}.name`), ...statusOf(given, at) };
  for (const key of TEXTS) if (given[key] !== undefined) task[key] = textAt(given[key], `${at}.${key}`);
  for (const [key, name] of Object.entries(LISTS))
    if (given[key] !== undefined) task[name] = listAt(given[key], `${at}.${key}`);
  if (given.priority !== undefined) task.priority = readPriority(textAt(given.priority, `${at}.priority`));
  if (given.sort === undefined) return task;
  if (typeof given.sort !== 'number') throw bad(`${at}.sort`, 'expected a number');
  return { ...task, sort: given.sort };
}

function statusOf(given: Readonly<Record<string, unknown>>, at: string): { status?: Status } {
  if (given.status === undefined) return {};
  const word = textAt(given.status, `${at}.status`);
  const status = parseStatus(word);
  if (status === null) throw bad(`${at}.status`, `it is ${JSON.stringify(word)}`, STATUSES);
  return { status };
}

function assertKnown(given: object, at: string, known: readonly string[]): void {
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd === undefined) return;
  const near = suggest(odd, known);
  throw bad(at, `there is no ${JSON.stringify(odd)}${near === null ? '' : `, did you mean ${near}?`}`, known);
}

function objectAt(value: unknown, at: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw bad(at, `it is ${JSON.stringify(value) ?? 'missing'}, expected an object`);
}

function textAt(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw bad(at, `it is ${JSON.stringify(value) ?? 'missing'}, expected a text`);
}

function listAt(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.map((item, index) => textAt(item, `${at}[${index}]`));
  throw bad(at, `it is ${JSON.stringify(value) ?? 'missing'}, expected a list of texts`);
}

function wordAt<Word extends string>(value: unknown, at: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw bad(at, `it is ${JSON.stringify(value) ?? 'missing'}`, words);
}

function bad(at: string, what: string, allowed?: readonly string[]): RoomError {
  const hint = allowed === undefined ? {} : { hint: `allowed: ${allowed.join(', ')}` };
  return new RoomError('bad_input', `${at}: ${what}`, hint);
}
