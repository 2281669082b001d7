// What was finished, newest first, each as it stood then; and figures of it: what each week finished, used and asked of trackers, and who
// did it.
import { useState } from 'preact/hooks';
import { addressOf, place, setQuery } from '../../address.ts';
import type { Answer, Figures } from '../../api/calls.ts';
import { Answered, Empty, Head, Section, Tabs } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Markdown, withoutFrontMatter } from '../../parts/markdown.tsx';
import { StatusMark, When } from '../../parts/marks.tsx';
import { sayCount, sayDuration } from '../../parts/time-words.ts';
import { useQuery } from '../../room/queries.ts';
import { BarPlot, type Plot, Table } from './bar-plot.tsx';

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

const SPANS = ['8', '26', '52'] as const;

function FiguresList() {
  const chosen = SPANS.find((span) => span === place.value.query.get('weeks')) ?? '8';
  const query = useQuery('stats', { weeks: Number(chosen) });
  return (
    <div class="stack far">
      <Tabs
        label="How far back"
        tabs={SPANS.map((span) => [span, `${span} weeks`])}
        chosen={chosen}
        onChoose={(span) => setQuery({ weeks: span === '8' ? null : span })}
      />
      <Answered query={query}>
        {(figures) => (
          <>
            <div class="pair">
              {plotsOf(figures).map((plot) => (
                <BarPlot key={plot.title} plot={plot} />
              ))}
            </div>
            <AgentTable figures={figures} />
          </>
        )}
      </Answered>
    </div>
  );
}

type Week = Figures['weeks'][number];

function plotsOf({ weeks }: Figures): Plot[] {
  const days = weeks.map(({ from }) => from);
  const series = (name: string, tone: string, of: (week: Week) => number) => ({
    ...{ name, tone, values: weeks.map(of) },
  });
  return [
    {
      ...{ title: 'Tasks finished', unit: '', weeks: days },
      series: [
        series('done', 'completed', ({ done }) => done),
        series('canceled', 'killed', ({ canceled }) => canceled),
      ],
    },
    {
      ...{ title: 'Turns', unit: '', weeks: days },
      series: [
        series('ended well', 'running', ({ turns }) => turns.turns - turns.failed),
        series('failed', 'failed', ({ turns }) => turns.failed),
      ],
    },
    {
      ...{ title: 'Cost', unit: '$', weeks: days },
      series: [series('US dollars', 'accent', ({ turns }) => turns.cost_usd)],
    },
    {
      ...{ title: 'Requests to trackers', unit: '', weeks: days },
      series: [series('requests', 'pending', ({ sync }) => sync?.requests ?? 0)],
    },
  ];
}

const AgentTable = ({ figures: { agents } }: { figures: Figures }) => (
  <Section title="By agent">
    <div class="table-box" tabIndex={0} role="region" aria-label="Table by agent">
      <Table
        head={['Agent', 'Open', 'Done', 'Turns', 'Failed', 'Time', 'Tokens', 'Cost']}
        rows={agents.map(({ agent, tasks, turns }) => [
          ...[agent, tasks.open, tasks.done, turns.turns, turns.failed, sayDuration(turns.ms / 1000)],
          sayCount(turns.input_tokens + turns.output_tokens),
          turns.cost_usd === 0 ? '–' : `$${turns.cost_usd.toFixed(2)}`,
        ])}
      />
    </div>
  </Section>
);
