// A plot of bars, one a week, stacked where there are several series; the same figures as a table for who does not see it.
import { Dot } from '../../parts/marks.tsx';

export interface Plot {
  title: string;
  unit: string;
  weeks: readonly string[]; // The first day of each.
  /** The tone is one of the palette of marks. */
  series: readonly { name: string; tone: string; values: readonly number[] }[];
}

const WIDTH = 480;
const HEIGHT = 150;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;
const MOST_DAYS = 8;

interface Scaled extends Plot {
  top: number;
  step: number; // Between the middles of two bars.
  say(value: number): string;
}

export function BarPlot({ plot }: { plot: Plot }) {
  const { title, unit, weeks, series } = plot;
  const sums = weeks.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const isMoney = unit === '$';
  const say = (value: number) => `${unit}${isMoney ? value.toFixed(2) : Math.round(value)}`;
  const top = niceTop(Math.max(...sums, 0), isMoney);
  const scaled: Scaled = { ...plot, top, step: (WIDTH - LEFT) / weeks.length, say };
  return (
    <figure class="plot card">
      <figcaption class="wrap">
        <span class="name">{title}</span>
        <span class="muted">{say(sums.reduce((sum, each) => sum + each, 0))} in all</span>
        <span class="legend line small muted">
          {series.map(({ name, tone }) => (
            <span key={name}>
              <Dot tone={tone} /> {name}
            </span>
          ))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <Grid of={scaled} />
        <Bars of={scaled} />
        <Days of={scaled} />
      </svg>
      <details>
        <summary class="small muted">As a table</summary>
        <Table
          head={['Week of', ...series.map(({ name }) => name)]}
          rows={weeks.map((week, at) => [
            week.slice(0, 10),
            ...series.map(({ values }) => say(values[at] ?? 0)),
          ])}
        />
      </details>
    </figure>
  );
}

/** A round number at or above the highest bar. */
function niceTop(highest: number, isMoney: boolean): number {
  if (highest <= 0) return isMoney ? 1 : 4;
  const size = 10 ** Math.floor(Math.log10(highest));
  const top = [1, 2, 4, 5, 10].map((step) => step * size).find((each) => each >= highest) ?? highest;
  return isMoney ? top : Math.max(4, top);
}

const yOf = (value: number, top: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);

const Grid = ({ of: { top, say } }: { of: Scaled }) =>
  [0, top / 2, top].map((value) => (
    <g key={value}>
      <line class="grid-line" x1={LEFT} x2={WIDTH} y1={yOf(value, top)} y2={yOf(value, top)} />
      <text x={LEFT - 6} y={yOf(value, top) + 4} text-anchor="end">
        {say(value)}
      </text>
    </g>
  ));

function Bars({ of: { weeks, series, top, step, say } }: { of: Scaled }) {
  const width = Math.min(36, step * 0.7);
  return weeks.map((week, at) => {
    let below = 0;
    return series.map(({ name, tone, values }) => {
      const value = values[at] ?? 0;
      if (value === 0) return null;
      const y = yOf(below + value, top);
      const height = yOf(below, top) - y;
      below += value;
      const place = { x: LEFT + step * at + (step - width) / 2, y, width, height };
      return (
        <rect key={`${week} ${name}`} class={`bar tone-${tone}`} {...place}>
          <title>{`${week}: ${say(value)} ${name}`}</title>
        </rect>
      );
    });
  });
}

function Days({ of: { weeks, step } }: { of: Scaled }) {
  const every = Math.ceil(weeks.length / MOST_DAYS);
  return weeks.map((week, at) =>
    at % every === 0 ? (
      <text key={week} x={LEFT + step * (at + 0.5)} y={HEIGHT - 6} text-anchor="middle">
        {new Date(`${week.slice(0, 10)}T12:00:00Z`).toLocaleDateString('en', {
          day: 'numeric',
          month: 'short',
        })}
      </text>
    ) : null,
  );
}

type Cells = readonly (string | number)[];

/** A table of figures; the first of each row says what they are about. */
export const Table = ({ head, rows }: { head: readonly string[]; rows: readonly Cells[] }) => (
  <table>
    <thead>
      <tr>
        {head.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([name, ...cells]) => (
        <tr key={name}>
          <th scope="row">
            <bdi>{name}</bdi>
          </th>
          {cells.map((text, at) => (
            <td key={head[at]}>{text}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
