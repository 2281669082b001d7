// Every task of the room as the lists show it. Rows that events touch are read one by one, or all together where that is cheaper.
import { batch, signal } from '@preact/signals';
import { at } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import type { RoomEventJson, TaskList, TaskRow } from '../api/shapes.ts';
import { readTaskList } from '../api/task-list.ts';
import { createPaced } from './pace.ts';

/** More than these are read with the whole list: the API answers no more by their ids. */
const MOST_SINGLE = 100;
/** A hand edit that changes no status has no event: an unchanged list costs the server nothing. */
const SWEEP_MS = 5_000;

export const taskRows = signal<readonly TaskRow[]>([]);
export const invalidFiles = signal<TaskList['invalid']>([]);
/** Null until the list was read once. */
export const rowsReadAt = signal<number | null>(null);
/** Of the last attempt. */
export const rowsError = signal<ApiError | null>(null);

let etag: string | null = null;
let isStale = true;
const touched = new Set<string>();
const paced = createPaced(look, 250);

/** Reads the rows, and keeps them current as long as the page is there. */
export function keepRows(): void {
  paced.touch();
  setInterval(() => document.hidden || staleRows(), SWEEP_MS);
}

/** The whole list is to be read again. */
export function staleRows(): void {
  isStale = true;
  paced.touch();
}

/** One task is to be read again. */
export function staleRow(id: string): void {
  touched.add(id);
  paced.touch();
}

export function takeEvents(events: readonly RoomEventJson[]): void {
  for (const { id, type } of events) {
    if (WHOLE.has(type)) isStale = true;
    else if (typeof id === 'string') touched.add(id);
  }
  if (isStale || touched.size > 0) paced.touch();
}

/** Rows come, go or change their place. */
const WHOLE: ReadonlySet<string> = new Set<RoomEventJson['type']>([
  'task.seen',
  'task.gone',
  'task.archived',
  'task.renamed',
  'task.copied',
  'task.invalid',
  'task.mended',
  'tasks.held',
  'room.ready',
]);

/** Changes rows in place of their old ones, by id. */
export function patchRows(changes: ReadonlyMap<string, Partial<TaskRow>>): void {
  let isOther = false;
  const rows = taskRows.value.map((row) => {
    const change = row.id === null ? undefined : changes.get(row.id);
    if (change === undefined) return row;
    isOther = true;
    return { ...row, ...change };
  });
  if (isOther) taskRows.value = rows;
}

async function look(): Promise<void> {
  try {
    if (isStale || touched.size > MOST_SINGLE) await readAll();
    else await readSingle([...touched]);
    rowsError.value = null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    rowsError.value = error;
    isStale = true;
  }
}

async function readAll(): Promise<void> {
  isStale = false;
  touched.clear();
  const told = await readTaskList(etag, (tasks) => {
    if (rowsReadAt.value === null) showRows(tasks);
  });
  if (told === null) return;
  etag = told.etag;
  batch(() => {
    showRows(told.list.tasks);
    invalidFiles.value = told.list.invalid;
  });
}

function showRows(tasks: readonly TaskRow[]): void {
  batch(() => {
    taskRows.value = tasks;
    rowsReadAt.value = Date.now();
  });
}

async function readSingle(ids: readonly string[]): Promise<void> {
  touched.clear();
  if (ids.length === 0) return;
  const { tasks } = await ask(at('list', { ids: [...ids], agents: true }));
  const known = new Set(taskRows.value.map(({ id }) => id));
  if (tasks.length < ids.length || tasks.some(({ id }) => !known.has(id))) staleRows();
  patchRows(new Map(tasks.flatMap((row) => (row.id === null ? [] : [[row.id, row] as const]))));
}
