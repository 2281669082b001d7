// The filters of a list. What it shows and in which order is read from the query of the address: each filter under its own name,
// and the words of the search in the language that every list has.
import { computed, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
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
import { place, setQuery } from '../../address.ts';
import type { TaskRow } from '../../api/calls.ts';
import { Button, Choice, type Option } from '../../parts/fields.tsx';
import { statusOptions } from '../../parts/marks.tsx';
import { ownStatuses, taskRows, useQuery } from '../../room/queries.ts';

type Filter = readonly [key: string, label: string, options: readonly Option[]];

/** Filters by what some task says: key, label, and the member of a task. */
const FOUND = [
  ['owner', 'Agent', 'owner'],
  ['label', 'Label', 'labels'],
  ['sprint', 'Sprint', 'sprint'],
  ['scope', 'Scope', 'scope'],
  ['artifact', 'Plan', 'artifact'],
] as const;

const found = computed(() =>
  FOUND.map(([key, label, member]): Filter => {
    const values = new Set(taskRows.value.flatMap((task) => task[member] ?? []));
    return [key, label, [...values].sort()];
  }),
);
const SIGN_NAMES: Readonly<Record<string, string>> = {
  running: 'running now',
  waiting: 'waiting for you',
  silent: 'ended silently',
};
const SIGN_OPTIONS = Object.keys(TASK_SIGNS).map((sign): Option => [sign, SIGN_NAMES[sign] ?? sign]);
const PAUSE_MS = 200; // How long typing must rest before the room is asked which texts hold the words.

/** Asks the room which texts hold the words, once typing rests. */
function useTextSearch(words: string): void {
  const [asked, setAsked] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const inTexts = useQuery('list', asked === '' ? null : { text: asked, agents: false }).value;
  useEffect(() => {
    textMatches.value = { words: asked, paths: new Set(inTexts?.tasks.map(({ path }) => path)) };
  }, [asked, inTexts]);
}

export function FilterBar({ withStatus = false }: { withStatus?: boolean }) {
  const { query } = place.value;
  useTextSearch(wordsOf(query));
  const filters: Filter[] = [
    ['sign', 'State', SIGN_OPTIONS],
    ...found.value,
    ['priority', 'Priority', PRIORITIES],
  ];
  if (withStatus) filters.unshift(['status', 'Status', statusOptions()]);
  const shown = filters.filter(([key, , options]) => options.length > 0 || query.get(key));
  const chosen = QUERY_KEYS.filter((key) => query.get(key));
  const choices = shown.map(([key, label, options]) => (
    <Choice
      key={key}
      label={label}
      none={label}
      class={query.get(key) ? 'chosen' : ''}
      value={query.get(key)}
      options={options}
      onChoose={(value) => setQuery({ [key]: value })}
    />
  ));
  return (
    <search class="filters wrap grow">
      <input
        id="search"
        type="search"
        placeholder="Search"
        title="words, status:todo, label:web, due:<friday"
        aria-label="Search tasks"
        value={query.get('text') ?? ''}
        onInput={({ currentTarget }) => setQuery({ text: currentTarget.value || null })}
      />
      {isNarrow() ? (
        <details open={chosen.some((key) => key !== 'text')}>
          <summary>Filters</summary>
          <div class="wrap">{choices}</div>
        </details>
      ) : (
        choices
      )}
      {chosen.length > 0 && (
        <Button
          name="Show all"
          kind="quiet"
          run={() => setQuery(Object.fromEntries(QUERY_KEYS.map((key) => [key, null])))}
        />
      )}
      <span class="small muted" role="status">
        {readFilter(query, taskRows.value).notes.join('; ')}
      </span>
    </search>
  );
}

/** On a phone, where a row of fields would not fit. */
const isNarrow = () => matchMedia('(max-width: 700px)').matches;

const KEYS = FILTER_KEYS.map((key) => [key, factsOf(key).filter!.as] as const);
const QUERY_KEYS = ['text', 'sign', ...KEYS.map(([, name]) => name)];

/** The tasks whose texts hold these words, as the room found them last. */
const textMatches = signal({ words: '', paths: new Set<string>() });
const formatWords = (words: string[]) => formatFilter({ terms: [], words });

const wordsOf = (query: URLSearchParams) => formatWords(parseFilter(query.get('text') ?? '').words);

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
