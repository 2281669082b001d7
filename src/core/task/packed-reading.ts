// A reading as short text for the ledger's cache, and back: a line that lists are made of, and a second one with the
// rest, empty for a file that could not be read.
import { formatLine, type ListedTask, parseListed } from './listed-line.ts';
import type { Task, TaskReading } from './task.ts';
import {
  isListed,
  type KeyValues,
  KNOWN_KEYS,
  LISTED_KEYS,
  type ListedKey,
  nothingSaid,
  propertyOf,
} from './task-keys.ts';
import { isWaitingForAnswer } from './waiting.ts';

type PackedStep = [title: string, done: 0 | 1, details?: string, task?: string | null];

interface PackedRest {
  r: string;
  n?: PackedStep[];
  /** Everything rarer, by its name in Task. */
  x?: Partial<Task>;
}

// The line holds what lists show, and `sort`; of a file that does not say when it was updated the time of its last change.
const RARE = KNOWN_KEYS.filter((key) => key === 'updated' || !(isListed(key) || key === 'sort')).map(
  propertyOf,
) as (keyof KeyValues)[];
const { checks: _none, ...NOTHING_SAID } = nothingSaid();
const NOTHING_RARE = Object.fromEntries(
  Object.entries(NOTHING_SAID).filter(([property]) => RARE.includes(property as never)),
) as Partial<KeyValues>;

/**
 * The short text of a reading; the `hash` of a task is kept beside it, not in it.
 * @param changedMs when its file was changed last
 */
export function packReading(reading: TaskReading, changedMs: number): string {
  if (!reading.ok) return `${lineOf(reading, changedMs)}\n`;
  const { task } = reading;
  const rest: PackedRest = { r: task.revision };
  if (task.steps.length > 0) rest.n = task.steps.map(packStep);
  const rare = rareFields(task);
  if (Object.keys(rare).length > 0) rest.x = rare;
  return `${lineOf(reading, changedMs)}\n${JSON.stringify(rest)}`;
}

/** The first line of {@link packReading}'s text. */
export function lineOf(reading: TaskReading, changedMs: number | null): string {
  return reading.ok ? formatLine(asListed(reading.task, changedMs)) : JSON.stringify(reading);
}

function packStep({ title, done, details, task }: Task['steps'][number]): PackedStep {
  if (task !== null) return [title, done ? 1 : 0, details, task];
  return details === '' ? [title, done ? 1 : 0] : [title, done ? 1 : 0, details];
}

function rareFields(task: Task): Partial<Task> {
  const rare: Record<string, unknown> = {};
  for (const key of RARE) if (!isNothing(task[key])) rare[key] = task[key];
  if (task.questions !== undefined) rare.questions = task.questions;
  if (task.oddKeys !== undefined) rare.oddKeys = task.oddKeys;
  return rare as Partial<Task>;
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

export type ListedReading = { ok: true; task: ListedTask } | Extract<TaskReading, { ok: false }>;

/** The reading that {@link packReading} was given. */
export function unpackReading(text: string, hash: string): TaskReading {
  const end = text.indexOf('\n');
  const line = text.slice(0, end);
  if (!isReadable(line)) return JSON.parse(line);
  const { steps: _s, waiting: _w, ...task } = parseListed(line);
  const { r: revision, n = [], x } = JSON.parse(text.slice(end + 1)) as PackedRest;
  const steps = n.map(unpackStep);
  return { ok: true, task: { ...task, ...NOTHING_RARE, ...x, revision, hash, steps } as Task };
}

/** The same of the first line alone, without what a list does not show. */
export function unpackForList(line: string): ListedReading {
  return isReadable(line) ? { ok: true, task: parseListed(line) } : JSON.parse(line);
}

/** Whether a first line is that of a file that could be read as a task. */
export function isReadable(line: string): boolean {
  return !line.startsWith('{');
}

/** Whether a first line is that of a deleted task's file: it is in no list. */
export function isDeleted(line: string): boolean {
  return (
    line.startsWith('{') && (JSON.parse(line) as Extract<TaskReading, { ok: false }>).invalid.deleted === true
  );
}

/** @param changedMs when its file was changed last, for one that does not say it; null where nobody looked */
export function asListed(task: Task, changedMs: number | null): ListedTask {
  const said: Record<string, unknown> = {};
  for (const property of LISTED_FACTS) said[property] = task[property];
  const { name, path, sort, steps: all } = task;
  const steps = { done: all.filter(({ done }) => done).length, total: all.length };
  const updated = task.updated ?? (changedMs === null ? null : new Date(changedMs).toISOString());
  const rest = { name, path, sort, updated, steps, waiting: isWaitingForAnswer(task) };
  return Object.assign(said as KeyValues<ListedKey>, rest);
}

const LISTED_FACTS = LISTED_KEYS.map(propertyOf) as (keyof Task)[];

function unpackStep([title, done, details = '', task = null]: PackedStep): Task['steps'][number] {
  return { title, details, done: done === 1, task };
}
