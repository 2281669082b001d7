// How much was done, week by week: tasks, turns, failures, cost, and requests to trackers; and who did it.
import { place, setQuery } from '../../address.ts';
import type { Figures } from '../../api/shapes.ts';
import { Section, Tabs } from '../../parts/blocks.tsx';
import { Answered } from '../../parts/states.tsx';
import { sayCount, sayDuration } from '../../parts/time-words.ts';
import { useQuery } from '../../room/queries.ts';
import { BarPlot, type Plot, Table } from './bar-plot.tsx';

const SPANS = ['8', '26', '52'] as const;

export function FiguresList() {
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

function AgentTable({ figures: { agents } }: { figures: Figures }) {
  return (
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
}
