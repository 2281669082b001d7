// What was finished, newest first, each as it stood then; and figures of it, week by week.
import { useState } from 'preact/hooks';
import { addressOf, place, setQuery } from '../../address.ts';
import type { Answer } from '../../api/calls.ts';
import { Head, Tabs } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Markdown, withoutFrontMatter } from '../../parts/markdown.tsx';
import { StatusMark } from '../../parts/marks.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { useQuery } from '../../room/queries.ts';
import { FiguresList } from './figures-list.tsx';

type History = Answer<'history'>;

const PAGE = 50;
const MOST = 1_000;

const TABS = { finished: 'Finished tasks', figures: 'Figures' } as const;
type Tab = keyof typeof TABS;

export function HistoryView() {
  const chosen: Tab = place.value.query.get('show') === 'figures' ? 'figures' : 'finished';
  return (
    <div class="stack far">
      <Head title="History">
        <Tabs
          label="Show"
          tabs={Object.entries(TABS) as [Tab, string][]}
          chosen={chosen}
          onChoose={(tab) => setQuery({ show: tab === 'figures' ? tab : null })}
        />
      </Head>
      {chosen === 'figures' ? <FiguresList /> : <FinishedTasks />}
    </div>
  );
}

function FinishedTasks() {
  const [limit, setLimit] = useState(PAGE);
  const query = useQuery('history', { limit });
  // Fewer lines stay while more are read.
  const [last, keep] = useState<History | null>(null);
  if (query.value !== null && query.value !== last) keep(query.value);
  return (
    <Answered query={{ ...query, value: query.value ?? last }}>
      {({ history }) => (
        <>
          {history.length === 0 && (
            <Empty title="Nothing is finished yet">Every finished task leaves its whole text here.</Empty>
          )}
          <ul>
            {history.map((line) => (
              <li key={`${line.id} ${line.archived_at}`}>
                <HistoryEntry line={line} />
              </li>
            ))}
          </ul>
          {history.length === limit && limit < MOST && (
            <Button name="Show more" run={() => setLimit(Math.min(MOST, limit * 4))} />
          )}
        </>
      )}
    </Answered>
  );
}

function HistoryEntry({ line }: { line: History['history'][number] }) {
  const [isOpen, open] = useState(false);
  const { title } = line.task;
  return (
    <details class="history-line" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary class="line" data-stop>
        <StatusMark status={line.status === 'canceled' ? 'canceled' : 'done'} />
        <bdi class="grow cut">{typeof title === 'string' && title !== '' ? title : line.name}</bdi>
        <span class="muted">
          <When at={line.archived_at} />
        </span>
      </summary>
      {isOpen && (
        <div class="stack">
          <p>
            <a href={addressOf(['task', line.id])}>Open the task</a>
          </p>
          <Markdown text={withoutFrontMatter(line.text)} />
        </div>
      )}
    </details>
  );
}
