// One cache of what the page asked: each address is asked once for all who show it, its last answer stays until there is a new one,
// and it is asked again when an event tells of something it depends on.
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { type Answer, at, type Input, type Name } from '../api/calls.ts';
import { type ApiError, askFor } from '../api/request.ts';
import type { RoomEventJson } from '../api/shapes.ts';
import { createPaced } from './pace.ts';

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
