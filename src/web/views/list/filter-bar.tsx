// The filters of a list: what they say stands in the address.
import { computed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { TASK_SIGNS } from '../../../core/task/filter.ts';
import { PRIORITIES } from '../../../core/task/status.ts';
import { place, setQuery } from '../../address.ts';
import { Button, Choice, type Option } from '../../parts/fields.tsx';
import { statusOptions } from '../../parts/marks.tsx';
import { useQuery } from '../../room/queries.ts';
import { taskRows } from '../../room/task-rows.ts';
import { QUERY_KEYS, readFilter, textMatches, wordsOf } from './filter.ts';

type Filter = readonly [key: string, label: string, options: readonly Option[]];

/** Filters by what some task says: key, label, and the member of a task. */
const FOUND = [
  ['owner', 'Agent', 'owner'],
  ['label', 'Label', 'labels'],
  ['sprint', 'Sprint', 'sprint'],
  ['scope', 'Scope', 'scope'],
  ['artifact', 'Plan', 'artifact'],
] as const;

/** What tasks say, to choose from. */
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
export const isNarrow = () => matchMedia('(max-width: 700px)').matches;
