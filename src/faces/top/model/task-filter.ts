// Which tasks are shown: words of a search, words with a meaning (`@agent`, `#label`, `status:todo`), the scope, and what was
// cleared away.
import { isFinished, STATUSES } from '../../../core/task/status.ts';
import type { TaskRow } from '../../../tasks/shapes/task.ts';
import type { RoomFacts } from './room-facts.ts';
import type { ScreenState } from './screen-state.ts';

type Fits = (task: TaskRow) => boolean;

/** Whether a task is shown. */
export function taskFilter({
  search,
  filter,
  scope,
  cleared,
}: Pick<ScreenState, 'search' | 'filter' | 'scope' | 'cleared'>): Fits {
  const tests = [...wordsOf(search), ...wordsOf(filter)].map(testOf);
  if (tests.length === 0 && scope === null && cleared.size === 0) return everything;
  return (task) =>
    (scope === null || task.scope === scope) &&
    !(isFinished(task.status) && cleared.has(task.path)) &&
    tests.every((test) => test(task));
}

/** Whether any other text fits the search. */
export function textFilter({ search }: Pick<ScreenState, 'search'>): (text: string) => boolean {
  const words = wordsOf(search);
  return (text) => {
    const low = text.toLowerCase();
    return words.every((word) => low.includes(word));
  };
}

const everything: Fits = () => true;
const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

function testOf(word: string): Fits {
  const [, key, value = ''] = /^(status|owner|label|sprint|scope|priority):(.*)$/.exec(word) ?? [];
  if (word.startsWith('@')) return ownedBy(word.slice(1));
  if (word.startsWith('#')) return labelled(word.slice(1));
  if (key === 'owner') return ownedBy(value);
  if (key === 'label') return labelled(value);
  if (key === 'sprint') return ({ sprint }) => starts(sprint, value);
  if (key === 'scope') return ({ scope }) => starts(scope, value);
  if (key === 'priority') return ({ priority }) => starts(priority ?? 'medium', value);
  if (key === 'status') return statusIs(value);
  return (task) => searched(task).includes(word);
}

/** A status, or what else a sign says of an open task. */
function statusIs(value: string): Fits {
  if (STATUSES.some((status) => status.startsWith(value))) return ({ status }) => status.startsWith(value);
  const signs: Readonly<Record<string, Fits>> = {
    running: ({ running }) => running !== null,
    paused: ({ paused, status }) => paused && !isFinished(status),
    blocked: ({ blocked }) => blocked,
    waiting: ({ waiting }) => waiting,
    silent: ({ nothing_written }) => nothing_written,
  };
  const sign = Object.keys(signs).find((each) => each.startsWith(value));
  return sign === undefined ? () => false : signs[sign]!;
}

const starts = (text: string | null, value: string) => (text ?? '').toLowerCase().startsWith(value);
const ownedBy =
  (name: string): Fits =>
  ({ owner }) =>
    starts(owner, name);
const labelled =
  (name: string): Fits =>
  ({ labels }) =>
    labels.some((label) => starts(label, name));

const lowered = new WeakMap<TaskRow, string>();

function searched(task: TaskRow): string {
  const known = lowered.get(task);
  if (known !== undefined) return known;
  const text = `${task.name}\n${task.title ?? ''}\n${task.id ?? ''}`.toLowerCase();
  lowered.set(task, text);
  return text;
}

/**
 * A view of a scope is cleared when all its tasks are done and no turn runs (G4); of what comes later nothing is hidden.
 * @returns the state, another one when something was cleared away
 */
export function clearFinishedScope(state: ScreenState, facts: RoomFacts): ScreenState {
  if (state.scope === null) return state;
  const tasks = facts.tasks.filter(({ scope }) => scope === state.scope);
  if (!tasks.every(({ status, running }) => isFinished(status) && running === null)) return state;
  if (tasks.every(({ path }) => state.cleared.has(path))) return state;
  return { ...state, cleared: withAll(state.cleared, tasks) };
}

/** Clears every finished task away, on demand. */
export function clearFinished(state: ScreenState, facts: RoomFacts): ScreenState {
  const finished = facts.tasks.filter(({ status }) => isFinished(status));
  return { ...state, cleared: withAll(state.cleared, finished) };
}

function withAll(cleared: ReadonlySet<string>, tasks: readonly TaskRow[]): ReadonlySet<string> {
  return new Set([...cleared, ...tasks.map(({ path }) => path)]);
}
