// One cache of what the page asked: each address is asked once for all who show it, its last answer stays until there is a new one,
// and it is asked again when an event tells of something it depends on.
import { batch, computed, signal } from '@preact/signals';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { shownName } from '../../core/task/names.ts';
import { type OwnStatuses, readStatus, STATUSES, type Status } from '../../core/task/status.ts';
import type { Answer, Input, Name, RoomEventJson, TaskList, TaskRow } from '../api/calls.ts';
import { at } from '../api/calls.ts';
import { ApiError, ask, askFor } from '../api/request.ts';

/** What each answer depends on: the first words of events, or their whole types. */
const CHANGED_BY: Readonly<Partial<Record<Name, readonly string[]>>> = {
  show: ['task', 'tasks', 'question', 'turn', 'agent', 'mirror', 'pull_request', 'sync'],
  inbox: ['task', 'tasks', 'question', 'turn', 'chore', 'mirror', 'pull_request', 'person', 'config', 'room'],
  list: ['task', 'tasks'],
  diff: ['turn', 'task'],
  listTurns: ['turn'],
  showTurn: ['turn'],
  listAgents: ['turn', 'agent', 'config'],
  listWorkers: ['turn', 'agent', 'config'],
  status: ['tasks', 'turn', 'agent', 'config', 'room'],
  listChores: ['chore', 'sync'],
  listMirrors: ['mirror', 'sync'],
  listJobs: ['turn'],
  listPlans: ['task', 'tasks', 'question', 'turn', 'agent', 'mirror'],
  showPlan: ['task', 'tasks', 'question', 'turn', 'agent', 'mirror'],
  history: ['task.changed', 'task.archived', 'turn.ended', 'sync.finished'],
  stats: ['task.changed', 'task.archived', 'turn.ended', 'sync.finished'],
};
/** No event tells of all their changes. */
const POLLED: readonly Name[] = ['listPlans', 'showPlan', 'listJobs', 'showJob'];
const POLL_MS = 3_000;

export interface Query<T> {
  value: T | null; // Null until the first answer.
  etag: string | null; // Of that answer.
  error: ApiError | null; // Of the last attempt.
}

type Key = readonly [name: Name | null, path: string];

const client = new QueryClient({
  defaultOptions: {
    queries: {
      queryFn: ({ queryKey: [, path], signal }) => askFor<unknown>(path as string, { signal }),
      retry: false,
      // The room may run on this machine while the network is away.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
});

/** The answer of an operation, kept current while the component is shown; an earlier one is shown while it is asked again.
 * @param input null asks for nothing
 * @param isPolled asked again also without an event */
export function useQuery<N extends Name>(
  name: N,
  input: Input<N> | null,
  isPolled = POLLED.includes(name),
): Query<Answer<N>> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const path = input === null ? '' : at(name, input);
  const observer = useMemo(
    () =>
      new QueryObserver<{ body: unknown; etag: string | null }, ApiError>(client, {
        queryKey: [name, path] satisfies Key,
        enabled: path !== '',
        refetchInterval: isPolled && POLL_MS,
        notifyOnChangeProps: ['data', 'error'],
      }),
    [path, isPolled],
  );
  useEffect(() => observer.subscribe(redraw), [observer]);
  const { data, error } = observer.getCurrentResult();
  return { value: (data?.body ?? null) as Answer<N> | null, etag: data?.etag ?? null, error };
}

const stale = new Set<Name | 'all'>();
const paced = createPaced(askStale, 300, 1_200);

async function askStale(): Promise<void> {
  const names = new Set(stale);
  stale.clear();
  const isOld = ([name]: Key) => names.has('all') || (name !== null && names.has(name));
  await client.invalidateQueries({ predicate: ({ queryKey }) => isOld(queryKey as unknown as Key) });
}

export function askAgain(): void {
  stale.add('all');
  paced.touch();
}

export function askChangedAgain(types: readonly RoomEventJson['type'][]): void {
  const words = new Set<string>(types.flatMap((type) => [type, type.slice(0, type.indexOf('.'))]));
  for (const [name, types] of Object.entries(CHANGED_BY))
    if (types.some((word) => words.has(word))) stale.add(name as Name);
  if (stale.size > 0) paced.touch();
}

// Every task of the room as the lists show it. A look asks only for what changed since the one before.

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
const pacedLook = createPaced(look, 250);

export function keepRows(): void {
  pacedLook.touch();
  setInterval(() => document.hidden || pacedLook.touch(), SWEEP_MS);
}

export const touchRows = (): void => pacedLook.touch();

/** Shows a change before the room tells of it. */
export function patchRow(
  id: string,
  change: Pick<TaskRow, 'status' | 'finished_at'> & { own_status: string | undefined },
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

/** The statuses of the room's own, each with the one that it counts as. */
export const ownStatuses = signal<OwnStatuses>({});
/** Every status, those of the room's own behind the one that they count as. */
export const allStatuses = computed((): readonly string[] => {
  const own = Object.entries(ownStatuses.value);
  return STATUSES.flatMap((status) => [
    status,
    ...own.flatMap(([word, of]) => (of === status ? [word] : [])),
  ]);
});
export const statusOf = (word: string): Status => readStatus(word, () => ownStatuses.value)?.status ?? 'todo';

// Looking again, but not all the time: at once when something was touched, then less and less often while it is touched without rest.

/** A page that stood still for long, in the background say, is up to date soon after. */
const MOST_PAUSE_MS = 4_000;

/** @param look is never run twice at once; a touch meanwhile runs it once more
 * @param gapMs least time between two looks; a look that took long makes it longer, up to {@link MOST_PAUSE_MS}
 * @param mostMs what it grows to while there is no rest */
function createPaced(look: () => Promise<void>, gapMs: number, mostMs = gapMs) {
  let isLooking = false;
  let isTouched = false;
  let isPlanned = false;
  let notBefore = 0;
  let gap = gapMs;

  async function run(): Promise<void> {
    isPlanned = false;
    isLooking = true;
    isTouched = false;
    const began = performance.now();
    try {
      await look();
    } finally {
      isLooking = false;
      const now = performance.now();
      notBefore = now + Math.max(gap, Math.min(4 * (now - began), MOST_PAUSE_MS));
      gap = Math.min(2 * gap, mostMs);
      if (isTouched) touch();
    }
  }
  function touch(): void {
    isTouched = true;
    if (isLooking || isPlanned) return;
    const wait = notBefore - performance.now();
    if (wait < -gap) gap = gapMs;
    isPlanned = true;
    setTimeout(() => void run(), Math.max(0, wait));
  }
  return { touch };
}
