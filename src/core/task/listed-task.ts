// What lists show of a task, by its names in JSON; and a reading as short text for the ledger's cache: a line that lists are made
// of, and a second line with the rest, empty for a file that can't be read. Ledgers keep these texts: where their form changes,
// LEDGER_VERSION has to be raised.
import type { TurnId } from '../ids.ts';
import { isWaitingForAnswer, type Task, type TaskReading } from './task.ts';
import {
  isListed,
  type KeyRow,
  type KeyValues,
  KNOWN_KEYS,
  LISTED_KEYS,
  type ListedKey,
  nothingSaid,
  propertyOf,
} from './task-keys.ts';

/** What the file alone says: its steps counted, not named. */
export type ListedTask = KeyRow<ListedKey> &
  Pick<Task, 'name' | 'path'> & {
    steps: { done: number; total: number };
    waiting: boolean;
  };

export type ListRow = ListedTask & {
  blocked: boolean;
  running: TurnId | null;
  pending: boolean;
  held: boolean;
  retry_at: string | null;
  parked_until: string | null;
  nothing_written: boolean;
  why_not: { reason: string; text: string; hint: string | null } | null;
  finished_at: string | null;
  archived?: boolean;
};

const RANK = { high: 0, medium: 1, low: 2 } as const;

export function rankOf({ priority }: Pick<Task, 'priority'>): 0 | 1 | 2 {
  return RANK[priority ?? 'medium'];
}

const PLACES = LISTED_KEYS.map((key) => [key, propertyOf(key) as keyof Task] as const);

/** @param changedMs when its file was changed last, for one that does not say it; null where nobody looked */
export function asListed(task: Task, changedMs: number | null): ListedTask {
  const { id, name, status, path, title, steps: all } = task;
  const listed: Record<string, unknown> = { id, name, status, path, title };
  for (const [key, property] of PLACES) listed[key] = task[property];
  listed.updated ??= changedMs === null ? null : new Date(changedMs).toISOString();
  listed.waiting = isWaitingForAnswer(task);
  listed.steps = { done: all.filter(({ done }) => done).length, total: all.length };
  return listed as unknown as ListedTask;
}

type PackedStep = [title: string, done: 0 | 1, details?: string, task?: string | null];

interface PackedRest {
  r: string;
  n?: PackedStep[];
  /** Everything rarer, by its name in Task. */
  x?: Partial<Task>;
}

// The line says when a file was changed where it does not say when it was updated.
const RARE = KNOWN_KEYS.filter((key) => key === 'updated' || !isListed(key)).map(
  propertyOf,
) as (keyof KeyValues)[];
const { checks: _none, ...NOTHING_SAID } = nothingSaid();
const NOTHING_RARE = Object.fromEntries(
  Object.entries(NOTHING_SAID).filter(([property]) => RARE.includes(property as never)),
);

/**
 * The short text of a reading; the `hash` of a task is kept beside it, not in it.
 * @param changedMs when its file was changed last
 */
export function packReading(reading: TaskReading, changedMs: number): string {
  if (!reading.ok) return `${JSON.stringify(reading)}\n`;
  const { task } = reading;
  const rest: PackedRest = { r: task.revision };
  if (task.steps.length > 0) rest.n = task.steps.map(packStep);
  const rare: Record<string, unknown> = {};
  for (const key of [...RARE, 'questions', 'oddKeys'] as const)
    if (!isNothing(task[key])) rare[key] = task[key];
  if (Object.keys(rare).length > 0) rest.x = rare;
  return `${JSON.stringify(asListed(task, changedMs))}\n${JSON.stringify(rest)}`;
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

function packStep({ title, done, details, task }: Task['steps'][number]): PackedStep {
  if (task !== null) return [title, done ? 1 : 0, details, task];
  return details === '' ? [title, done ? 1 : 0] : [title, done ? 1 : 0, details];
}

function unpackStep([title, done, details = '', task = null]: PackedStep): Task['steps'][number] {
  return { title, details, done: done === 1, task };
}

export type ListedReading = { ok: true; task: ListedTask } | Extract<TaskReading, { ok: false }>;

/** What a list needs of a first line of {@link packReading}. */
export function unpackForList(line: string): ListedReading {
  return line.startsWith('{"ok":false') ? JSON.parse(line) : { ok: true, task: JSON.parse(line) };
}

export function unpackReading(text: string, hash: string): TaskReading {
  const end = text.indexOf('\n');
  const listed = unpackForList(text.slice(0, end));
  if (!listed.ok) return listed;
  const { r: revision, n = [], x } = JSON.parse(text.slice(end + 1)) as PackedRest;
  const { name, path } = listed.task;
  const said: Record<string, unknown> = { path, name };
  for (const [key, property] of PLACES) said[property] = listed.task[key];
  const task = { ...said, ...NOTHING_RARE, ...x, revision, hash, steps: n.map(unpackStep) };
  return { ok: true, task: task as unknown as Task };
}
