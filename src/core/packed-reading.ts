// A reading as short text for the ledger's cache, and back. What a field says by default is left out, so that ten
// thousand of them load in a moment.

import type { TaskId } from './ids.ts';
import type { Status } from './status.ts';
import type { Priority, Task, TaskReading } from './task.ts';
import { nameOfPath } from './task-name.ts';

type PackedStep = [title: string, done: 0 | 1, details?: string, task?: string | null];

interface Packed {
  i?: TaskId;
  r: string;
  t?: string;
  s?: Status;
  p?: 1;
  q?: string;
  o?: string;
  y?: Priority;
  b?: string[];
  a?: string;
  l?: string[];
  /** How many steps are done, and how many there are. */
  c?: [done: number, total: number];
  /** The steps, packed once more: a list needs only their count. */
  n?: string;
  /** Everything rarer, by its name in Task. */
  x?: Partial<Task>;
}

const RARE = [
  'sprint',
  'artifact',
  'scope',
  'sort',
  'due',
  'activeForm',
  'created',
  'createdBy',
  'completedBy',
  'updated',
  'remote',
] as const;

const NO_TEXTS: string[] = [];

/** The short text of a reading; `path` and `hash` of a task are kept beside it, not in it. */
export function packReading(reading: TaskReading): string {
  if (!reading.ok) return JSON.stringify(reading);
  const { task } = reading;
  const packed: Packed = { r: task.revision };
  if (task.id !== null) packed.i = task.id;
  if (task.title !== null) packed.t = task.title;
  if (task.status !== 'todo') packed.s = task.status;
  if (task.paused) packed.p = 1;
  if (task.requester !== 'owner') packed.q = task.requester;
  if (task.owner !== null) packed.o = task.owner;
  if (task.priority !== null) packed.y = task.priority;
  if (task.blockedBy.length > 0) packed.b = task.blockedBy;
  if (task.parent !== null) packed.a = task.parent;
  if (task.labels.length > 0) packed.l = task.labels;
  if (task.steps.length > 0) {
    packed.c = [task.steps.filter((step) => step.done).length, task.steps.length];
    packed.n = JSON.stringify(task.steps.map(packStep));
  }
  const rare = rareFields(task);
  if (Object.keys(rare).length > 0) packed.x = rare;
  return JSON.stringify(packed);
}

function packStep({ title, done, details, task }: Task['steps'][number]): PackedStep {
  if (task !== null) return [title, done ? 1 : 0, details, task];
  return details === '' ? [title, done ? 1 : 0] : [title, done ? 1 : 0, details];
}

function rareFields(task: Task): Partial<Task> {
  const rare: Record<string, unknown> = {};
  for (const key of RARE) if (task[key] !== null) rare[key] = task[key];
  if (task.resources.length > 0) rare.resources = task.resources;
  return rare as Partial<Task>;
}

/** A task as lists need it: its steps counted, not named. */
export interface ListedTask extends Omit<Task, 'steps' | 'resources'> {
  stepCount: { done: number; total: number };
}

export type ListedReading = { ok: true; task: ListedTask } | Extract<TaskReading, { ok: false }>;

/** The reading that {@link packReading} was given. */
export function unpackReading(text: string, path: string, hash: string): TaskReading {
  const parsed = JSON.parse(text) as Packed | Extract<TaskReading, { ok: false }>;
  if ('ok' in parsed) return parsed;
  const { stepCount: _, ...task } = unpackListed(parsed, path, hash);
  const steps = parsed.n === undefined ? [] : (JSON.parse(parsed.n) as PackedStep[]).map(unpackStep);
  return { ok: true, task: { ...task, steps, resources: parsed.x?.resources ?? [] } };
}

/** The same without what a list does not show: for ten thousand of them in a moment. */
export function unpackForList(text: string, path: string, hash: string): ListedReading {
  const parsed = JSON.parse(text) as Packed | Extract<TaskReading, { ok: false }>;
  return 'ok' in parsed ? parsed : { ok: true, task: unpackListed(parsed, path, hash) };
}

/** A task just read, as lists need it. */
export function toListed(reading: TaskReading): ListedReading {
  return reading.ok ? { ok: true, task: asListed(reading.task) } : reading;
}

export function asListed({ steps, resources: _, ...task }: Task): ListedTask {
  const done = steps.filter((step) => step.done).length;
  return { ...task, stepCount: { done, total: steps.length } };
}

function unpackListed(parsed: Packed, path: string, hash: string): ListedTask {
  const task: ListedTask = {
    path,
    name: nameOfPath(path),
    id: parsed.i ?? null,
    title: parsed.t ?? null,
    status: parsed.s ?? 'todo',
    paused: parsed.p === 1,
    requester: parsed.q ?? 'owner',
    owner: parsed.o ?? null,
    priority: parsed.y ?? null,
    blockedBy: parsed.b ?? NO_TEXTS,
    parent: parsed.a ?? null,
    labels: parsed.l ?? NO_TEXTS,
    sprint: null,
    artifact: null,
    scope: null,
    sort: null,
    due: null,
    activeForm: null,
    created: null,
    createdBy: null,
    completedBy: null,
    updated: null,
    remote: null,
    revision: parsed.r,
    hash,
    stepCount: parsed.c ? { done: parsed.c[0], total: parsed.c[1] } : NO_STEPS,
  };
  if (parsed.x === undefined) return task;
  const { resources: _, ...rare } = parsed.x;
  return { ...task, ...rare };
}

const NO_STEPS = { done: 0, total: 0 };

function unpackStep([title, done, details = '', task = null]: PackedStep): Task['steps'][number] {
  return { title, details, done: done === 1, task };
}
