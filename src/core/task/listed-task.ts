// What lists show of a task, by its names in JSON; and a reading as short text for the ledger's cache: a line that lists are made
// of, and a second line with the rest, empty for a file that can't be read. Ledgers keep these texts: where their form changes,
// LEDGER_VERSION has to be raised.
import type { TurnId } from '../ids.ts';
import { camelOf } from '../plain-data.ts';
import { isWaitingForAnswer } from './status.ts';
import type { Task, TaskReading } from './task.ts';
import { type KeyRow, LISTED_KEYS, type ListedKey, NOTHING_SAID } from './task-keys.ts';

/** What lists show of a task from its file; steps are only counted. */
export type ListedTask = KeyRow<ListedKey> &
  Pick<Task, 'name' | 'path'> & {
    steps: { done: number; total: number };
    waiting: boolean;
    own_status?: string;
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
export const rankOf = ({ priority }: Pick<Task, 'priority'>): 0 | 1 | 2 => RANK[priority ?? 'medium'];
const PLACES = LISTED_KEYS.map((key) => [key, camelOf(key) as keyof Task] as const);

/** @param changedMs when its file was changed last, used when the file has no `updated`; null when unknown */
export function asListed(task: Task, changedMs: number | null): ListedTask {
  const { id, name, status, path, title, steps: all, ownStatus } = task;
  const listed: Record<string, unknown> = { id, name, status, path, title };
  for (const [key, property] of PLACES) listed[key] = task[property];
  listed.updated ??= changedMs === null ? null : new Date(changedMs).toISOString();
  listed.waiting = isWaitingForAnswer(task);
  if (ownStatus !== undefined) listed.own_status = ownStatus;
  listed.steps = { done: all.filter(({ done }) => done).length, total: all.length };
  return listed as unknown as ListedTask;
}

// The line says when a file was changed where it does not say when it was updated.
const IN_LINE = new Set<string>([
  'path',
  'name',
  ...LISTED_KEYS.filter((key) => key !== 'updated').map(camelOf),
]);
const { checks: _none, ...NO_KEYS } = NOTHING_SAID;

/** The short text of a reading; the `hash` of a task is kept beside it. @param changedMs when its file was changed last */
export function packReading(reading: TaskReading, changedMs: number): string {
  if (!reading.ok) return `${JSON.stringify(reading)}\n`;
  const { hash: _hash, ...task } = reading.task;
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(task))
    if (!IN_LINE.has(key) && value !== null && !(Array.isArray(value) && value.length === 0))
      rest[key] = value;
  return `${JSON.stringify(asListed(reading.task, changedMs))}\n${JSON.stringify(rest)}`;
}

export type ListedReading = { ok: true; task: ListedTask } | Extract<TaskReading, { ok: false }>;

/** What a list needs of a first line of {@link packReading}. */
export const unpackForList = (line: string): ListedReading =>
  line.startsWith('{"ok":false') ? JSON.parse(line) : { ok: true, task: JSON.parse(line) };

export function unpackReading(text: string, hash: string): TaskReading {
  const end = text.indexOf('\n');
  const listed = unpackForList(text.slice(0, end));
  if (!listed.ok) return listed;
  const { path, name } = listed.task;
  const task: Record<string, unknown> = { path, name, ...NO_KEYS, steps: [] };
  for (const [key, property] of PLACES) if (key !== 'updated') task[property] = listed.task[key];
  return {
    ok: true,
    task: Object.assign(task, JSON.parse(text.slice(end + 1)), { hash }) as unknown as Task,
  };
}
