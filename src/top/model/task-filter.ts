// Which tasks are shown: the words of search and filter, which mean what they mean to every list, the scope, and what was cleared away.
import { createFilter, parseFilter, wordsNotInHead } from '../../core/task/filter.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { RoomFacts, ScreenState } from './screen-state.ts';

export type Tasks = Pick<RoomFacts, 'tasks' | 'found' | 'lookedAtMs'>;

export function taskFilter(
  state: Pick<ScreenState, 'search' | 'filter' | 'scope' | 'cleared'>,
  facts: Tasks,
) {
  const { scope, cleared } = state;
  const { words, fits } = readWords(state, facts);
  const holds = (task: TaskRow) =>
    wordsNotInHead(task, words).every((word) => facts.found.get(word)?.has(task.path) === true);
  return (task: TaskRow) =>
    (scope === null || task.scope === scope) &&
    !(isFinished(task.status) && cleared.has(task.path)) &&
    fits(task) &&
    (words.length === 0 || holds(task));
}

function readWords({ search, filter }: Pick<ScreenState, 'search' | 'filter'>, facts: Tasks) {
  const { tasks, lookedAtMs: nowMs } = facts;
  const read = parseFilter(`${search} ${filter}`);
  return { words: read.words, ...createFilter(read, { nowMs, tasks }) };
}

/** What of search and filter is unknown in this room. */
export const oddWords = (state: ScreenState, facts: RoomFacts) => readWords(state, facts).notes;

/** The words that are searched for in the texts of tasks, too. */
export const searchedWords = ({ search, filter }: ScreenState) => parseFilter(`${search} ${filter}`).words;

/** Whether any other text fits the search. */
export function textFilter({ search }: Pick<ScreenState, 'search'>): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const low = text.toLowerCase();
    return words.every((word) => low.includes(word));
  };
}

/** A view of a scope is cleared when all its tasks are done and no turn runs (G4); of what comes later nothing is hidden.
 * @returns the state, another one when something was cleared away */
export function clearFinishedScope(state: ScreenState, facts: RoomFacts): ScreenState {
  if (state.scope === null) return state;
  const tasks = facts.tasks.filter(({ scope }) => scope === state.scope);
  if (!tasks.every(({ status, running }) => isFinished(status) && running === null)) return state;
  if (tasks.every(({ path }) => state.cleared.has(path))) return state;
  return { ...state, cleared: withAll(state.cleared, tasks) };
}

export function clearFinished(state: ScreenState, facts: RoomFacts): ScreenState {
  const finished = facts.tasks.filter(({ status }) => isFinished(status));
  return { ...state, cleared: withAll(state.cleared, finished) };
}

const withAll = (cleared: ReadonlySet<string>, tasks: readonly TaskRow[]): ReadonlySet<string> =>
  new Set([...cleared, ...tasks.map(({ path }) => path)]);
