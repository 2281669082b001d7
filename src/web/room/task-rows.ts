// Every task of the room as the lists show it. A look asks only for what changed since the one before.
import { batch, computed, signal } from '@preact/signals';
import { shownName } from '../../core/task/names.ts';
import { at } from '../api/calls.ts';
import { ApiError, ask } from '../api/request.ts';
import type { TaskList, TaskRow } from '../api/shapes.ts';
import { createPaced } from './pace.ts';
import { ownStatuses } from './statuses.ts';

const SWEEP_MS = 5_000; // A hand edit that changes no status has no event.
export const taskRows = signal<readonly TaskRow[]>([]);
export const rowsById = computed(
  () => new Map(taskRows.value.map((task) => [task.id as string | null, task])),
);
export const invalidFiles = signal<TaskList['invalid']>([]);
/** False until the list was read once. */
export const areRowsRead = signal(false);
/** Of the last attempt. */
export const rowsError = signal<ApiError | null>(null);

/** What a task is called, where it is known by its id. @param name where the list does not have it */
export function nameOfTask(id: string | null, name: string | null): string {
  const row = rowsById.value.get(id);
  return row === undefined ? (name ?? id ?? '') : shownName(row);
}

/** By id and by name. */
const titles = computed(
  () =>
    new Map(taskRows.value.flatMap((row) => [row.name, row.id ?? ''].map((word) => [word, shownName(row)]))),
);

/** What the task is called that a key of a file names: `task:3npr`, `3npr`, or its name. */
export function titleOf(ref: string): string {
  const word = wordOf(ref);
  return titles.value.get(word) ?? word;
}

/** The id or the name in the reference of a file. */
export const wordOf = (ref: string) => ref.replace(/^task:(local:)?/, '');

let version = '';
let byPath = new Map<string, TaskRow>();
const paced = createPaced(look, 250);

/** Reads the rows, and keeps them current as long as the page is there. */
export function keepRows(): void {
  paced.touch();
  setInterval(() => document.hidden || paced.touch(), SWEEP_MS);
}

/** Something changed: the rows are looked at again soon. */
export const touchRows = (): void => paced.touch();

/** Shows a change before the room tells of it. */
export function patchRow(
  id: string,
  change: Pick<TaskRow, 'status'> & { own_status: string | undefined },
): void {
  const row = taskRows.value.find((each) => each.id === id);
  if (row !== undefined) showRows([{ ...row, ...change } as TaskRow]);
}

async function look(): Promise<void> {
  try {
    const list = await ask(at('list', { since: version, agents: false }));
    batch(() => {
      if (JSON.stringify(list.invalid) !== JSON.stringify(invalidFiles.value))
        invalidFiles.value = list.invalid;
      const { statuses = {} } = list;
      if (JSON.stringify(statuses) !== JSON.stringify(ownStatuses.value)) ownStatuses.value = statuses;
      showRows(list.tasks, list.order);
      rowsError.value = null;
      areRowsRead.value = true;
    });
    version = list.version ?? '';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    rowsError.value = error;
  }
}

/** @param order all paths, where that is another */
function showRows(changed: readonly TaskRow[], order?: readonly string[]): void {
  if (changed.length === 0 && order === undefined) return;
  for (const row of changed) byPath.set(row.path, row);
  // A map keeps the order in which its keys came.
  if (order !== undefined) byPath = new Map(order.map((path) => [path, byPath.get(path)!]));
  taskRows.value = [...byPath.values()];
}

/** The tasks that are selected in the list, by path. */
export const selection = signal<ReadonlySet<string>>(new Set());

/** Selects the task, or no longer. */
export function select({ path }: TaskRow): void {
  const next = new Set(selection.value);
  if (!next.delete(path)) next.add(path);
  selection.value = next;
}
