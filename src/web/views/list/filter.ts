// What a list shows and in which order, read from the query of the address: each filter under its own name, and the words of the
// search in the language that every list has.
import { signal } from '@preact/signals';
import {
  createFilter,
  formatFilter,
  parseFilter,
  TASK_SIGNS,
  termOf,
  wordsNotInHead,
} from '../../../core/task/filter.ts';
import { shownName } from '../../../core/task/names.ts';
import { isFinished, PRIORITIES } from '../../../core/task/status.ts';
import { FILTER_KEYS, factsOf } from '../../../core/task/task-keys.ts';
import type { TaskRow } from '../../api/shapes.ts';
import { ownStatuses } from '../../room/statuses.ts';

const KEYS = FILTER_KEYS.map((key) => [key, factsOf(key).filter!.as] as const);
export const QUERY_KEYS = ['text', 'sign', ...KEYS.map(([, name]) => name)];

/** The tasks whose texts hold these words, as the room found them last. */
export const textMatches = signal({ words: '', paths: new Set<string>() });
const formatWords = (words: string[]) => formatFilter({ terms: [], words });

/** The words of the search without its filters; '' for none. */
export const wordsOf = (query: URLSearchParams) => formatWords(parseFilter(query.get('text') ?? '').words);

/** Which of these tasks are shown, and what of the search is unknown among them. */
export function readFilter(query: URLSearchParams, tasks: readonly TaskRow[]) {
  const { words, terms, oddKeys } = parseFilter(query.get('text') ?? '');
  for (const [key, name] of KEYS) {
    const value = query.get(name);
    if (value) terms.push(termOf(key, value.split(',')));
  }
  const sign = query.get('sign');
  if (sign !== null && sign in TASK_SIGNS) terms.push(termOf('status', sign));
  const { fits, notes } = createFilter(
    { terms, oddKeys },
    { nowMs: Date.now(), tasks, statuses: () => ownStatuses.value },
  );
  const found = textMatches.value;
  const inTexts = found.words === formatWords(words) ? found.paths : null;
  const holds = (task: TaskRow) => hasWords(task, words) || inTexts?.has(task.path) === true;
  return { notes, fits: (task: TaskRow) => fits(task) && holds(task) };
}

/** Whether name, title or id hold all of these words. @param words in small letters */
export const hasWords = (task: TaskRow, words: readonly string[]) => wordsNotInHead(task, words).length === 0;
const placeOf = ({ priority }: TaskRow) => PRIORITIES.indexOf(priority ?? 'medium');
const STATUS_ORDER: Readonly<Record<string, number>> = { doing: 0, todo: 1, draft: 2, done: 3, canceled: 4 };
const LAST = '\uffff'; // Behind all texts.

type Compare = (one: TaskRow, other: TaskRow) => number;

/** By the names of columns. */
const ORDERS: Readonly<Record<string, Compare>> = {
  title: byText(shownName),
  status: (one, other) => STATUS_ORDER[one.status]! - STATUS_ORDER[other.status]!,
  priority: (one, other) => placeOf(one) - placeOf(other),
  due: byText(({ due }) => due ?? LAST),
  owner: byText(({ owner }) => owner ?? LAST),
  steps: (one, other) => shareOf(other) - shareOf(one),
  labels: byText(({ labels }) => labels.join() || LAST),
  finished: byText(({ finished_at: at }) => at ?? LAST),
};

const shareOf = ({ steps: { done, total } }: TaskRow) => (total === 0 ? -1 : done / total);

/** Open tasks first, in the room's own order, where the address names none. */
export function readOrder(query: URLSearchParams): Compare {
  const sign = query.get('down') === null ? 1 : -1;
  const compare = ORDERS[query.get('sort') ?? ''];
  if (compare === undefined)
    return (one, other) => Number(isFinished(one.status)) - Number(isFinished(other.status));
  return (one, other) => sign * compare(one, other);
}

function byText(of: (task: TaskRow) => string): Compare {
  return (one, other) => {
    const [a, b] = [of(one), of(other)];
    return a < b ? -1 : Number(a > b);
  };
}
