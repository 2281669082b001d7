// One task as `task export` prints it, and its values. Whatever a record holds that nothing here knows is carried
// along untouched, because an import replaces the whole task. Taskwarrior has no hidden place in a text, so that the
// idempotency keys that made a task and its annotations stand in an attribute of ours: `k:<key>` for the task, `<epoch
// second>:<key>` for an annotation. Its project is the label `project:<name>`, a tag is a label.
import { createHash } from 'node:crypto';
import type { ListChange } from '../provider.ts';

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
export const isUuid = (text: string): boolean => UUID.test(text);

/** An export of 2.6 or 3.x: an array, or one object a line. @throws SyntaxError for text that is neither */
export function parseExport(text: string): TaskRecord[] {
  const json = text.replace(RAW_CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const lines = json.split('\n').filter((line) => line.trim() !== '');
  const values: unknown[] = json.trimStart().startsWith('[')
    ? JSON.parse(json)
    : lines.map((line) => JSON.parse(line.replace(/,\s*$/, '')));
  return values.flatMap((value) => {
    const { id: _id, urgency: _urgency, ...rest } = (value ?? {}) as Record<string, unknown>;
    const uuid = typeof rest.uuid === 'string' ? rest.uuid.toLowerCase() : '';
    return isUuid(uuid) ? [{ ...rest, uuid }] : [];
  });
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
export function secondOf(record: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = record[name];
  if (typeof value !== 'string' || !DATE.test(value)) return null;
  const ms = Date.parse(value.replace(DATE, '$1-$2-$3T$4:$5:$6Z'));
  return Number.isNaN(ms) ? null : ms / 1000;
}

/** `20261201T100000Z` of epoch seconds. */
export const formatSecond = (second: number): string =>
  new Date(second * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Oldest first. */
export function annotationsOf(record: TaskRecord): Annotation[] {
  const items = Array.isArray(record.annotations) ? (record.annotations as unknown[]) : [];
  const found = items.flatMap((item) => {
    const { description, ...rest } = (item ?? {}) as Record<string, unknown>;
    const second = secondOf(rest, 'entry');
    return second === null ? [] : [{ second, text: typeof description === 'string' ? description : '' }];
  });
  return found.sort((a, b) => a.second - b.second);
}

export function withAnnotations(record: TaskRecord, annotations: readonly Annotation[]): TaskRecord {
  const items = annotations.map(({ second, text }) => ({ entry: formatSecond(second), description: text }));
  return withValue(record, 'annotations', items);
}

/** The record with an attribute set; without it for null, an empty list or an empty text. */
export function withValue(record: TaskRecord, name: string, value: string | readonly unknown[] | null) {
  if (value?.length) return { ...record, [name]: value };
  const { [name]: _gone, ...rest } = record;
  return rest as TaskRecord;
}

/** Text as Taskwarrior can hold it: no half surrogate pair and no NUL. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
const TOKEN = /^(k|\d{1,12}):([0-9a-z]{8,40})$/;

export interface Keys {
  task: string | null; // The task's own, when we made it.
  annotations: ReadonlyMap<number, string>; // By the annotation's second.
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
  return withValue(record, OWN_ATTRIBUTE, tokens.join(' '));
}

/** The UUID of the task that a key makes: the same on every try. Version 8 is for values of one's own making (RFC 9562). */
export function uuidOfKey(key: string): string {
  const hex = createHash('sha256').update(`taskroom task ${key}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, `$1-$2-8$3-${variant}$4-$5`);
}

const PROJECT = 'project:';
// Taskwarrior separates tags by commas, `task edit` by spaces, its data file by colons and quotes; `&open;` stands for a
// bracket there. A percent sign counts only where it would be read as an escape.
const UNSAFE = /[\p{Cc}\p{Z},:"'\\&[\]{}()]|%(?=[0-9A-Fa-f]{2})/gu;
const ESCAPES = /(?:%[0-9A-F]{2})+/g;

/** The tag that stands for a label: what a tag can't hold is written as bytes (`a%2C%20b`), so that every label comes back. */
export function tagOf(label: string): string {
  const escaped = (char: string) => Buffer.from(char).toString('hex').toUpperCase().replace(/../g, '%$&');
  return label.toWellFormed().replace(UNSAFE, escaped);
}

/** The label a tag stands for; a tag that we would not write stands for itself. */
export function labelOf(tag: string): string {
  try {
    const label = tag.replace(ESCAPES, (bytes) => decodeURIComponent(bytes));
    return tagOf(label) === tag ? label : tag;
  } catch {
    return tag;
  }
}

/** Project first, then tags in Taskwarrior's order; each label once. */
export function labelsOf(record: TaskRecord): string[] {
  const project = textOf(record, 'project');
  const labels = listOf(record, 'tags').map(labelOf);
  return [...new Set(project === '' ? labels : [PROJECT + project, ...labels])];
}

/** The first `project:` label becomes the project when there is none, another one a tag: a task has one project. */
export function withLabels(record: TaskRecord, { add, remove }: ListChange): TaskRecord {
  const tags = new Set(listOf(record, 'tags').filter((tag) => !remove.includes(labelOf(tag))));
  let project = textOf(record, 'project');
  if (remove.includes(PROJECT + project)) project = '';
  for (const label of add) {
    const isHeld = [...tags].some((tag) => labelOf(tag) === label);
    if (label === '' || isHeld || (project !== '' && label === PROJECT + project)) continue;
    if (project === '' && isProject(label)) project = label.slice(PROJECT.length);
    else tags.add(tagOf(label));
  }
  return withValue(withValue(record, 'tags', [...tags]), 'project', project);
}

/** Whether a project can hold it: one line, and nothing that Taskwarrior would change. */
function isProject(label: string): boolean {
  const name = label.slice(PROJECT.length);
  const isPlain = name === name.trim() && /^[^\p{Cc}&]+$/u.test(name) && name.isWellFormed();
  return label.startsWith(PROJECT) && isPlain;
}
