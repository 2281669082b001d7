// A plot of bars, one a week, stacked where there are several series; the same figures as a table for who does not see it.
export interface Series {
  name: string;
  /** Of the palette of marks. */
  tone: string;
  values: readonly number[];
}

const WIDTH = 480;
const HEIGHT = 150;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;

export function BarPlot({
  title,
  unit,
  weeks,
  series,
}: {
  title: string;
  unit: string;
  /** The first day of each. */
  weeks: readonly string[];
  series: readonly Series[];
}) {
  const sums = weeks.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const top = niceTop(Math.max(...sums, 0), unit === '$');
  const total = sums.reduce((sum, each) => sum + each, 0);
  const say = (value: number) => `${unit}${unit === '$' ? value.toFixed(2) : Math.round(value)}`;
  return (
    <figure class="plot card">
      <figcaption>
        <strong>{title}</strong> <span class="muted">{say(total)} in all</span>
        <span class="legend">
          {series.map(({ name, tone }) => (
            <span key={name}>
              <span class={`dot tone-${tone}`} aria-hidden="true" /> {name}
            </span>
          ))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <Grid top={top} say={say} />
        <Bars weeks={weeks} series={series} top={top} say={say} />
        <Days weeks={weeks} />
      </svg>
      <details>
        <summary>As a table</summary>
        <PlotTable weeks={weeks} series={series} say={say} />
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

function Grid({ top, say }: { top: number; say: (value: number) => string }) {
  return (
    <>
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line class="grid-line" x1={LEFT} x2={WIDTH} y1={yOf(value, top)} y2={yOf(value, top)} />
          <text x={LEFT - 6} y={yOf(value, top) + 4} text-anchor="end">
            {say(value)}
          </text>
        </g>
      ))}
    </>
  );
}

function Bars({
  weeks,
  series,
  top,
  say,
}: {
  weeks: readonly string[];
  series: readonly Series[];
  top: number;
  say: (value: number) => string;
}) {
  const step = (WIDTH - LEFT) / weeks.length;
  const width = Math.min(36, step * 0.7);
  return (
    <>
      {weeks.map((week, at) => {
        let below = 0;
        return series.map(({ name, tone, values }) => {
          const value = values[at] ?? 0;
          const y = yOf(below + value, top);
          const height = yOf(below, top) - y;
          below += value;
          return value === 0 ? null : (
            <rect
              key={`${week} ${name}`}
              class={`bar tone-${tone}`}
              x={LEFT + step * at + (step - width) / 2}
              y={y}
              width={width}
              height={height}
            >
              <title>{`${week}: ${say(value)} ${name}`}</title>
            </rect>
          );
        });
      })}
    </>
  );
}

const MOST_DAYS = 8;

function Days({ weeks }: { weeks: readonly string[] }) {
  const step = (WIDTH - LEFT) / weeks.length;
  const every = Math.ceil(weeks.length / MOST_DAYS);
  return (
    <>
      {weeks.map((week, at) =>
        at % every === 0 ? (
          <text key={week} x={LEFT + step * (at + 0.5)} y={HEIGHT - 6} text-anchor="middle">
            {shortDay(week)}
          </text>
        ) : null,
      )}
    </>
  );
}

function shortDay(day: string): string {
  return new Date(`${day.slice(0, 10)}T12:00:00Z`).toLocaleDateString('en', {
    day: 'numeric',
    month: 'short',
  });
}

function PlotTable({
  weeks,
  series,
  say,
}: {
  weeks: readonly string[];
  series: readonly Series[];
  say: (value: number) => string;
}) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Week of</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, at) => (
          <tr key={week}>
            <th scope="row">{week.slice(0, 10)}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{say(values[at] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
