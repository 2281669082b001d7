// The state of a room on a terminal.
import { formatProblem } from '../../core/errors.ts';
import { shownName } from '../../core/task/names.ts';
import type { RoomStatus } from '../../tasks/shapes/room.ts';
import { cleanLine, plural } from '../lines/display-text.ts';
import type { ViewStyle } from '../lines/row.ts';
import { progressLine } from '../lines/task-lines.ts';
import { dateTime, lengthOf, momentText, retryText } from '../lines/time-text.ts';
import { noticeText, placeText, spentText, turnLine, workerLine } from '../lines/turn-lines.ts';
import type { Paint } from '../paint.ts';

const NAMES_SHOWN = 10;

export function statusLines(status: RoomStatus, { paint, columns, nowMs }: ViewStyle): string[] {
  const { daemon, running, ended, places, workers } = status;
  const show = (turn: RoomStatus['ended'][number], place = '') =>
    turnLine(turn, nowMs, paint, columns, place);
  const first = (lines: readonly string[], where = '') => {
    const more = lines.length - NAMES_SHOWN;
    const rest = more > 0 ? [paint('dim', `  … and ${more} more${where}`)] : [];
    return [...lines.slice(0, NAMES_SHOWN), ...rest];
  };
  const names = (items: readonly string[]) => first(items.map((item) => `  ${cleanLine(item)}`));
  const runningLines = running.map((turn) => show(turn, placeText(places?.[turn.id])));
  const endedLines = ended.map((turn) => show(turn));
  const waiting = status.waiting.map((each) => waitingText(each, nowMs));
  const problems = [...status.problems, ...status.invalid.flatMap((file) => file.problems)];
  const left = 'Left running in the record; the next start looks after them';
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
    ['Tried again', names(status.retries.map((task) => retryOf(task, nowMs)))],
    ["Can't be read", names(problems.map(formatProblem))],
  ];
  return [
    `${paint('bold', 'Room')}    ${cleanLine(status.room)}`,
    `${paint('bold', 'Daemon')}  ${daemonText(daemon, nowMs, paint)}`,
    progressLine(status.standing, paint),
    ...(status.today.turns === 0 ? [] : [`${paint('bold', 'Today')}   ${spentText(status.today)}`]),
    ...(status.inbox === 0 ? [] : [`${paint('bold', 'Inbox')}   ${inboxText(status.inbox)}`]),
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

const inboxText = (count: number) =>
  `${plural(count, 'thing')} need${count === 1 ? 's' : ''} you: taskroom inbox`;
const retryOf = (task: RoomStatus['retries'][number], nowMs: number) =>
  `${shownName(task)}: ${retryText(task.at ?? '', nowMs)}`;
