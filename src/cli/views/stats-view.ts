// The counts of a room: a bar a line, as long as the longest of its group allows.
import { STATUSES } from '../../core/task/status.ts';
import type { Stats, TaskCounts, TurnCounts } from '../../tasks/shapes/room.ts';
import { cleanLine, fit, plural } from '../lines/display-text.ts';
import type { ViewStyle } from '../lines/row.ts';
import { lengthOf } from '../lines/time-text.ts';
import { usageText } from '../lines/turn-lines.ts';
import type { Color, Paint } from '../paint.ts';

const NAME_CELLS = 20;
const BAR_CELLS = 24;

type Part = readonly [count: number, color: Color];
type BarLine = { name: string; parts: readonly Part[]; text: string };

export function statsLines(stats: Stats, { paint }: ViewStyle): string[] {
  const hasSprints = stats.sprints.some(({ sprint }) => sprint !== null);
  const sprints = stats.sprints.map(({ sprint, tasks }) => groupLine(sprint ?? '(none)', tasks, null));
  const weeks = stats.weeks.map(({ week, turns, ...tasks }) => groupLine(week, tasks, turns));
  const groups: [title: string, lines: BarLine[]][] = [
    ['Tasks', statusLines(stats)],
    ['Agents', stats.agents.map(({ agent, tasks, turns }) => groupLine(agent, tasks, turns))],
    ['Sprints', hasSprints ? sprints : []],
    [`Finished in the last ${plural(weeks.length, 'week')}`, weeks],
  ];
  return groups
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([title, lines], at) => [
      ...(at === 0 ? [] : ['']),
      paint('bold', title),
      ...drawn(lines, paint),
    ]);
}

function statusLines({ status, archived }: Stats): BarLine[] {
  const colors: Readonly<Record<(typeof STATUSES)[number], Color>> = {
    ...{ draft: 'dim', todo: 'yellow', doing: 'cyan', done: 'green', canceled: 'dim' },
  };
  const line = (name: string, count: number, color: Color): BarLine => ({
    ...{ name, parts: [[count, color]], text: String(count) },
  });
  const lines = STATUSES.map((name) => line(name, status[name], colors[name]));
  return archived === 0 ? lines : [...lines, line('archived', archived, 'dim')];
}

type Counts = Omit<TaskCounts, 'open'> & { open?: number };

function groupLine(name: string, { open, done, canceled }: Counts, turns: TurnCounts | null): BarLine {
  const counts = [
    `${done} done`,
    ...(open === undefined ? [] : [`${open} open`]),
    ...(canceled === 0 ? [] : [`${canceled} canceled`]),
    ...(turns === null || turns.turns === 0 ? [] : [turnsText(turns)]),
  ];
  return {
    name,
    parts: [
      [done, 'green'],
      [open ?? 0, 'yellow'],
      [canceled, 'dim'],
    ],
    text: counts.join(', '),
  };
}

function turnsText(turns: TurnCounts): string {
  const failed = turns.failed === 0 ? '' : ` (${turns.failed} failed)`;
  const used = usageText(turns);
  return `${plural(turns.turns, 'turn')}${failed} in ${lengthOf(turns.ms)}${used === '' ? '' : `, ${used}`}`;
}

function drawn(lines: readonly BarLine[], paint: Paint): string[] {
  const longest = Math.max(1, ...lines.map(({ parts }) => parts.reduce((sum, [count]) => sum + count, 0)));
  return lines.map(({ name, parts, text }) => {
    const bar = barOf(parts, longest, paint);
    const rest = ' '.repeat(BAR_CELLS - bar.cells);
    return `  ${fit(cleanLine(name), NAME_CELLS)} ${bar.text}${rest} ${text}`.trimEnd();
  });
}

/** A part that is not 0 has at least one cell. */
function barOf(parts: readonly Part[], longest: number, paint: Paint): { text: string; cells: number } {
  let cells = 0;
  let seen = 0;
  const drawnParts = parts.map(([count, color]) => {
    seen += count;
    const upTo = count === 0 ? cells : Math.max(cells + 1, Math.round((seen / longest) * BAR_CELLS));
    const width = Math.min(upTo, BAR_CELLS) - cells;
    cells += Math.max(0, width);
    return width <= 0 ? '' : paint(color, '█'.repeat(width));
  });
  return { text: drawnParts.join(''), cells };
}
