// The state of a room on a terminal, and how much was done in it.
import { formatProblem } from '../../core/errors.ts';
import { shownName } from '../../core/task/names.ts';
import { STATUSES } from '../../core/task/status.ts';
import type { RoomStatus, Stats, TaskCounts, TurnCounts } from '../../tasks/shapes/room.ts';
import { cleanLine, fit, plural } from '../lines/display-text.ts';
import type { ViewStyle } from '../lines/row.ts';
import { progressLine } from '../lines/task-lines.ts';
import { dateTime, lengthOf, momentText, retryText } from '../lines/time-text.ts';
import { noticeText, placeText, spentText, turnLine, usageText, workerLine } from '../lines/turn-lines.ts';
import type { Color, Paint } from '../paint.ts';

const NAMES_SHOWN = 10;

export function statusLines(status: RoomStatus, style: ViewStyle): string[] {
  const { daemon, running, ended, places, workers } = status;
  const { paint, nowMs } = style;
  const first = (lines: readonly string[], where = '') => {
    const more = lines.length - NAMES_SHOWN;
    const rest = more > 0 ? [paint('dim', `  … and ${more} more${where}`)] : [];
    return [...lines.slice(0, NAMES_SHOWN), ...rest];
  };
  const names = (items: readonly string[]) => first(items.map((item) => `  ${cleanLine(item)}`));
  const runningLines = running.map((turn) => turnLine(turn, style, placeText(places?.[turn.id])));
  const endedLines = ended.map((turn) => turnLine(turn, style));
  const waiting = status.waiting.map((each) => waitingText(each, nowMs));
  const retries = status.retries.map((task) => `${shownName(task)}: ${retryText(task.at ?? '', nowMs)}`);
  const problems = [...status.problems, ...status.invalid.flatMap((file) => file.problems)];
  const left = 'Left running in the record; the next start looks after them';
  const needs = `${plural(status.inbox, 'thing')} need${status.inbox === 1 ? 's' : ''}`;
  const lists: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    ['Trouble', names(status.trouble.map(troubleText))],
    [daemon === null ? left : 'Running', runningLines],
    ['Workers', workers === undefined ? [] : first(workersText(workers, paint), ': taskroom worker list')],
    ['Ended since you last looked', first(endedLines, ': taskroom turns')],
    ['Told by agents (taskroom inbox --notices)', names(status.notices.map(noticeText))],
    ['Waiting', names(waiting)],
    ['Asked for', names(status.pending.map(shownName))],
    ['Held (taskroom run --all releases them)', names(status.held.map(shownName))],
    ['Can not run', names(stuckTexts(status.stuck))],
    ['Tried again', names(retries)],
    ["Can't be read", names(problems.map(formatProblem))],
  ];
  return [
    `${paint('bold', 'Room')}    ${cleanLine(status.room)}`,
    `${paint('bold', 'Daemon')}  ${daemonText(daemon, nowMs, paint)}`,
    progressLine(status.standing, paint),
    ...(status.today.turns === 0 ? [] : [`${paint('bold', 'Today')}   ${spentText(status.today)}`]),
    ...(status.inbox === 0 ? [] : [`${paint('bold', 'Inbox')}   ${needs} you: taskroom inbox`]),
    ...lists.flatMap(([heading, lines]) =>
      lines.length === 0 ? [] : ['', paint('bold', heading), ...lines],
    ),
  ];
}

function daemonText(daemon: RoomStatus['daemon'], nowMs: number, paint: Paint): string {
  if (daemon === null) return `${paint('yellow', 'none')}; start it with: taskroom up`;
  const { pid, host, command, since } = daemon;
  const at = since === null ? 0 : Date.parse(since);
  const age = at > 0 ? `, since ${dateTime(at)} (${lengthOf(nowMs - at)})` : '';
  return `${paint('green', 'runs')}: pid ${pid} on ${host} (taskroom ${command})${age}`;
}

const workersText = (workers: NonNullable<RoomStatus['workers']>, paint: Paint) =>
  workers.length === 0
    ? ['  none: taskroom worker, on another machine or here']
    : workers.map((worker) => `  ${workerLine(worker, paint)}`);

const troubleText = ({ message, hint }: RoomStatus['trouble'][number]) =>
  hint === null ? message : `${message}; ${hint}`;
/** Tasks that wait for the same thing are counted. */
function stuckTexts(stuck: RoomStatus['stuck']): string[] {
  const byReason = Map.groupBy(stuck, ({ why_not: { text, hint } }) => `${text}; ${hint}`);
  return [...byReason].map(
    ([why, tasks]) => `${tasks.length === 1 ? shownName(tasks[0]!) : plural(tasks.length, 'task')}: ${why}`,
  );
}
function waitingText({ text, until, taken_by, tasks }: RoomStatus['waiting'][number], nowMs: number): string {
  const who =
    taken_by === null
      ? `${plural(tasks, 'task')} wait${tasks === 1 ? 's' : ''}`
      : `${taken_by} takes its turns`;
  return `${text} until ${momentText(Date.parse(until ?? ''), nowMs)}; ${who}`;
}

// The counts of a room: a bar a line, as long as the longest of its group allows.

const NAME_CELLS = 20;
const BAR_CELLS = 24;

type Part = readonly [count: number, color: Color];
type BarLine = { name: string; parts: readonly Part[]; text: string };

export function statsLines(stats: Stats, { paint }: ViewStyle): string[] {
  const hasSprints = stats.sprints.some(({ sprint }) => sprint !== null);
  const sprints = stats.sprints.map(({ sprint, tasks }) => groupLine(sprint ?? '(none)', tasks, null));
  const weeks = stats.weeks.map(({ week, turns, ...tasks }) => groupLine(week, tasks, turns));
  const groups: [title: string, lines: BarLine[]][] = [
    ['Tasks', countLines(stats)],
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

function countLines({ status, archived }: Stats): BarLine[] {
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
