// One task as `task export` prints it, and its values. Whatever a record holds that nothing here knows is carried
// along untouched, because an import replaces the whole task. Taskwarrior has no hidden place in a text, so that the
// idempotency keys that made a task and its annotations stand in an attribute of ours: `k:<key>` for the task, `<epoch
// second>:<key>` for an annotation.
import { createHash } from 'node:crypto';

/** A task of `task export`, urgency and working-set number left out. */
export type TaskRecord = Readonly<Record<string, unknown>> & { readonly uuid: string };

export interface Annotation {
  /** Epoch seconds. Taskwarrior keeps one annotation a second, so this names it inside its task. */
  second: number;
  text: string;
}

/** An attribute of ours, kept by Taskwarrior as it keeps any it has no column for: which keys made what. */
export const OWN_ATTRIBUTE = 'taskroom';

/** Attributes that Taskwarrior has a meaning for. */
export const BUILT_IN: ReadonlySet<string> = new Set(
  (
    'annotations depends description due end entry id imask last mask modified parent priority project recur rtype ' +
    'scheduled start status tag tags template until urgency uuid wait'
  ).split(' '),
);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// Taskwarrior prints control characters inside strings as they are; only the line ends between records are JSON.
const RAW_CONTROL = /[\0-\x09\x0b-\x1f]/g;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * The records of an export, as 2.6 and 3.x print it: an array, or one object a line.
 * @throws SyntaxError for text that is neither
 */
export function parseExport(text: string): TaskRecord[] {
  const json = text.replace(RAW_CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return parseArray(json).flatMap((value) => toRecord(value) ?? []);
}

function parseArray(json: string): unknown[] {
  if (json.trim() === '') return [];
  if (json.trimStart().startsWith('[')) return JSON.parse(json) as unknown[];
  return json
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line.replace(/,\s*$/, '')) as unknown);
}

function toRecord(value: unknown): TaskRecord | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id: _id, urgency: _urgency, ...rest } = value as Record<string, unknown>;
  const uuid = typeof rest.uuid === 'string' ? rest.uuid.toLowerCase() : '';
  return isUuid(uuid) ? { ...rest, uuid } : null;
}

/** A text attribute; '' when the task has none. */
export function textOf(record: TaskRecord, name: string): string {
  const value = record[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** A list attribute; an old comma-separated text counts as one. */
export function listOf(record: TaskRecord, name: string): string[] {
  const value = record[name];
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return items.filter((item): item is string => typeof item === 'string' && item !== '');
}

const DATE = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)Z$/;

/** A date attribute in epoch seconds, or null. */
export function secondOf(record: TaskRecord, name: string): number | null {
  return parseSecond(record[name]);
}

function parseSecond(value: unknown): number | null {
  const found = typeof value === 'string' ? DATE.exec(value) : null;
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1).map(Number) as number[];
  return Date.UTC(year!, month! - 1, day, hour, minute, second) / 1000;
}

/** `20261201T100000Z` of epoch seconds. */
export function formatSecond(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Oldest first. */
export function annotationsOf(record: TaskRecord): Annotation[] {
  const value = record.annotations;
  const found: Annotation[] = [];
  for (const item of Array.isArray(value) ? (value as unknown[]) : []) {
    const { entry, description } = (item ?? {}) as { entry?: unknown; description?: unknown };
    const second = parseSecond(entry);
    if (second !== null) found.push({ second, text: typeof description === 'string' ? description : '' });
  }
  return found.sort((a, b) => a.second - b.second);
}

/** The record with these annotations. */
export function withAnnotations(record: TaskRecord, annotations: readonly Annotation[]): TaskRecord {
  return withValue(
    record,
    'annotations',
    annotations.length === 0
      ? null
      : annotations.map(({ second, text }) => ({ entry: formatSecond(second), description: text })),
  );
}

/** The record with an attribute set, or without it for null. */
export function withValue(record: TaskRecord, name: string, value: unknown): TaskRecord {
  if (value !== null) return { ...record, [name]: value };
  const { [name]: _gone, ...rest } = record;
  return rest as TaskRecord;
}

/** Text as Taskwarrior can hold it: no half surrogate pair and no NUL. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

const TOKEN = /^(k|\d{1,12}):([0-9a-z]{8,40})$/;

export interface Keys {
  /** The task's own, when we made it. */
  task: string | null;
  /** By the annotation's second. */
  annotations: ReadonlyMap<number, string>;
}

export function keysOf(record: TaskRecord): Keys {
  let task: string | null = null;
  const annotations = new Map<number, string>();
  for (const token of textOf(record, OWN_ATTRIBUTE).split(' ')) {
    const [, where, key] = TOKEN.exec(token) ?? [];
    if (where === undefined || key === undefined) continue;
    if (where === 'k') task = key;
    else annotations.set(Number(where), key);
  }
  return { task, annotations };
}

/** The record with these keys; those of annotations that are gone are left out. */
export function withKeys(record: TaskRecord, { task, annotations }: Keys): TaskRecord {
  const present = new Set(annotationsOf(record).map(({ second }) => second));
  const tokens = task === null ? [] : [`k:${task}`];
  for (const [second, key] of annotations) if (present.has(second)) tokens.push(`${second}:${key}`);
  return withValue(record, OWN_ATTRIBUTE, tokens.length === 0 ? null : tokens.join(' '));
}

/** The UUID of the task that a key makes: the same on every try. */
export function uuidOfKey(key: string): string {
  const hash = createHash('sha256').update(`taskroom task ${key}`).digest('hex');
  // Version 8 is for values of one's own making (RFC 9562).
  const variant = '89ab'[Number.parseInt(hash[16]!, 16) & 3];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
