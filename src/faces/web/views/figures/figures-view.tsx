// How much was done, week by week: tasks, turns, failures, cost, and requests to trackers; and who did it.

import { place, setQuery } from '../../address.ts';
import { at } from '../../api/calls.ts';
import type { Figures } from '../../api/shapes.ts';
import { Failed, Loading } from '../../parts/states.tsx';
import { sayCount, sayDuration } from '../../parts/time-words.ts';
import { useResource } from '../../room/resource.ts';
import { BarPlot, type Series } from './bar-plot.tsx';

const SPANS = ['8', '26', '52'] as const;

export function FiguresView() {
  const weeks = place.value.query.get('weeks') ?? '8';
  const { value, error } = useResource(at('stats', { weeks: Number(weeks) }), ['figures']);
  if (error !== null && value === null) return <Failed error={error} />;
  if (value === null) return <Loading />;
  return (
    <div>
      <header class="view-head">
        <h1>Figures</h1>
        <div class="tabs" role="group" aria-label="How far back">
          {SPANS.map((span) => (
            <button
              key={span}
              type="button"
              class="quiet"
              aria-pressed={span === weeks}
              onClick={() => setQuery({ weeks: span === '8' ? null : span })}
            >
              {span} weeks
            </button>
          ))}
        </div>
      </header>
      <div class="plots">
        {plotsOf(value).map(({ title, unit, series }) => (
          <BarPlot
            key={title}
            title={title}
            unit={unit}
            weeks={value.weeks.map(({ from }) => from)}
            series={series}
          />
        ))}
      </div>
      <AgentTable figures={value} />
    </div>
  );
}

function plotsOf({ weeks }: Figures): { title: string; unit: string; series: Series[] }[] {
  return [
    {
      title: 'Tasks finished',
      unit: '',
      series: [
        { name: 'done', tone: 'completed', values: weeks.map(({ done }) => done) },
        { name: 'canceled', tone: 'killed', values: weeks.map(({ canceled }) => canceled) },
      ],
    },
    {
      title: 'Turns',
      unit: '',
      series: [
        { name: 'ended well', tone: 'running', values: weeks.map(({ turns }) => turns.turns - turns.failed) },
        { name: 'failed', tone: 'failed', values: weeks.map(({ turns }) => turns.failed) },
      ],
    },
    {
      title: 'Cost',
      unit: '$',
      series: [{ name: 'US dollars', tone: 'accent', values: weeks.map(({ turns }) => turns.cost_usd) }],
    },
    {
      title: 'Requests to trackers',
      unit: '',
      series: [{ name: 'requests', tone: 'pending', values: weeks.map(({ sync }) => sync?.requests ?? 0) }],
    },
  ];
}

function AgentTable({ figures: { agents } }: { figures: Figures }) {
  return (
    <section>
      <h2 id="by-agent">By agent</h2>
      <div class="table-box" tabIndex={0} role="region" aria-labelledby="by-agent">
        <table>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Open</th>
              <th scope="col">Done</th>
              <th scope="col">Turns</th>
              <th scope="col">Failed</th>
              <th scope="col">Time</th>
              <th scope="col">Tokens</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {agents.map(({ agent, tasks, turns }) => (
              <tr key={agent}>
                <th scope="row">
                  <bdi>{agent}</bdi>
                </th>
                <td>{tasks.open}</td>
                <td>{tasks.done}</td>
                <td>{turns.turns}</td>
                <td>{turns.failed}</td>
                <td>{sayDuration(turns.ms / 1000)}</td>
                <td>{sayCount(turns.input_tokens + turns.output_tokens)}</td>
                <td>{turns.cost_usd === 0 ? '–' : `$${turns.cost_usd.toFixed(2)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
