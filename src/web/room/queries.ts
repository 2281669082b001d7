// One cache of what the page asked: each address is asked once for all who show it, its last answer stays until there is a new one,
// and it is asked again when an event tells of something it depends on.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Answer, at, type Input, type Name } from '../api/calls.ts';
import { ApiError, askFor } from '../api/request.ts';
import type { RoomEventJson } from '../api/shapes.ts';
import { createPaced } from './pace.ts';

/** What each answer depends on: the first words of events, or their whole types. */
const CHANGED_BY: Readonly<Partial<Record<Name, readonly string[]>>> = {
  show: ['task', 'tasks', 'question', 'turn', 'agent', 'mirror', 'sync'],
  inbox: ['task', 'tasks', 'question', 'turn', 'chore', 'mirror', 'person', 'config', 'room'],
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

export interface Query<T> {
  /** Null until the first answer. */
  value: T | null;
  /** Of that answer. */
  etag: string | null;
  /** Of the last attempt. */
  error: ApiError | null;
}

interface Entry {
  name: Name;
  state: Signal<Query<unknown>>;
  paced: ReturnType<typeof createPaced>;
  users: number;
}

const NOTHING: Query<never> = { value: null, etag: null, error: null };
const GAP_MS = 300;
const MOST_GAP_MS = 1_200;
/** More that nobody shows are forgotten, the oldest first. */
const MOST_UNUSED = 30;

const cache = new Map<string, Entry>();

/**
 * The answer of an operation, kept current while the component is shown; an earlier one is shown while it is asked again.
 * @param input null asks for nothing
 */
export function useQuery<N extends Name>(name: N, input: Input<N> | null): Query<Answer<N>> {
  const path = input === null ? null : at(name, input);
  const entry = useMemo(() => (path === null ? null : entryOf(name, path)), [path]);
  useEffect(() => {
    if (entry === null) return;
    entry.users += 1;
    entry.paced.touch();
    return () => {
      entry.users -= 1;
    };
  }, [entry]);
  return (entry?.state.value ?? NOTHING) as Query<Answer<N>>;
}

function entryOf(name: Name, path: string): Entry {
  const known = cache.get(path);
  if (known !== undefined) return known;
  const unused = [...cache].filter(([, { users }]) => users === 0);
  for (const [old] of unused.slice(0, -MOST_UNUSED)) cache.delete(old);
  const state = signal<Query<unknown>>(NOTHING);
  const look = async () => {
    try {
      const { body, etag } = await askFor<unknown>(path);
      state.value = { value: body, etag, error: null };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      state.value = { ...state.value, error };
    }
  };
  const entry = { name, state, paced: createPaced(look, GAP_MS, MOST_GAP_MS), users: 0 };
  cache.set(path, entry);
  return entry;
}

/** Asks again for what is shown. */
export function askAgain(isOld: (name: Name) => boolean = () => true): void {
  for (const { name, users, paced } of cache.values()) if (users > 0 && isOld(name)) paced.touch();
}

export function askPolledAgain(): void {
  askAgain((name) => POLLED.includes(name));
}

export function askChangedAgain(events: readonly RoomEventJson[]): void {
  const words = new Set(events.flatMap(({ type }) => [type, type.slice(0, type.indexOf('.'))]));
  askAgain((name) => CHANGED_BY[name]?.some((word) => words.has(word)) ?? false);
}
