// The state of a room on a terminal.

import { formatProblem } from '../../core/errors.ts';
import type { RoomStatus } from '../../tasks/shapes/room.ts';
import { cleanLine, plural } from '../lines/display-text.ts';
import type { ViewStyle } from '../lines/row.ts';
import { progressLine } from '../lines/task-lines.ts';
import { clockTime, dateTime, lengthOf, momentText } from '../lines/time-text.ts';
import { noticeText, placeText, spentText, turnLine, workerLine } from '../lines/turn-lines.ts';
import type { Paint } from '../paint.ts';

const NAMES_SHOWN = 10;

export function statusLines(status: RoomStatus, { paint, columns, nowMs }: ViewStyle): string[] {
  const { daemon, running, ended, places } = status;
  const show = (turn: RoomStatus['ended'][number]) => turnLine(turn, nowMs, paint, columns);
  const showRunning = (turn: RoomStatus['running'][number]) =>
    turnLine(turn, nowMs, paint, columns, placeText(places?.[turn.id]));
  const left = 'Left running in the record; the next start looks after them';
  const more = ended.length - NAMES_SHOWN;
  const problems = [...status.problems, ...status.invalid.flatMap((file) => file.problems)];
  return [
    `${paint('bold', 'Room')}    ${cleanLine(status.room)}`,
    `${paint('bold', 'Daemon')}  ${daemonText(daemon, nowMs, paint)}`,
    progressLine(status.counts, paint),
    ...(status.today.turns === 0 ? [] : [`${paint('bold', 'Today')}   ${spentText(status.today)}`]),
    ...(status.inbox === 0 ? [] : [`${paint('bold', 'Inbox')}   ${inboxText(status.inbox)}`]),
    ...names('Trouble', status.trouble.map(troubleText), paint),
    ...section(daemon === null ? left : 'Running', running.map(showRunning), paint),
    ...(status.workers === undefined ? [] : section('Workers', workersText(status.workers, paint), paint)),
    ...section('Ended since you last looked', ended.slice(0, NAMES_SHOWN).map(show), paint),
    ...(more > 0 ? [paint('dim', `  … and ${more} more: taskroom turns`)] : []),
    ...names('Told by agents (taskroom notices)', status.notices.map(noticeText), paint),
    ...names(
      'Waiting',
      status.waiting.map((each) => waitingText(each, nowMs)),
      paint,
    ),
    ...names('Asked for', status.pending.map(nameOf), paint),
    ...names('Held (taskroom run --all releases them)', status.held.map(nameOf), paint),
    ...names('Can not run', status.stuck.map(stuckText), paint),
    ...names('Tried again', status.retries.map(retryOf), paint),
    ...names("Can't be read", problems.map(formatProblem), paint),
  ];
}

function daemonText(daemon: RoomStatus['daemon'], nowMs: number, paint: Paint): string {
  if (daemon === null) return `${paint('yellow', 'none')}; start it with: taskroom up`;
  const { pid, host, command, since } = daemon;
  const at = since === null ? 0 : Date.parse(since);
  const age = at > 0 ? `, since ${dateTime(at)} (${lengthOf(nowMs - at)})` : '';
  return `${paint('green', 'runs')}: pid ${pid} on ${host} (taskroom ${command})${age}`;
}

function workersText(workers: NonNullable<RoomStatus['workers']>, paint: Paint): string[] {
  const shown = workers.slice(0, NAMES_SHOWN).map((worker) => `  ${workerLine(worker, paint)}`);
  const more = workers.length - shown.length;
  if (workers.length === 0) return ['  none: taskroom worker, on another machine or here'];
  return more > 0 ? [...shown, paint('dim', `  … and ${more} more: taskroom workers`)] : shown;
}

const troubleText = ({ message, hint }: RoomStatus['trouble'][number]) =>
  hint === null ? message : `${message}; ${hint}`;
const stuckText = ({ name, why_not }: RoomStatus['stuck'][number]) =>
  `${name}: ${why_not.text}; ${why_not.hint}`;
function waitingText({ text, until, taken_by, tasks }: RoomStatus['waiting'][number], nowMs: number): string {
  const who =
    taken_by === null
      ? `${plural(tasks, 'task')} wait${tasks === 1 ? 's' : ''}`
      : `${taken_by} takes its turns`;
  return `${text} until ${momentText(Date.parse(until ?? ''), nowMs)}; ${who}`;
}

const inboxText = (count: number) =>
  `${plural(count, 'thing')} need${count === 1 ? 's' : ''} you: taskroom inbox`;
const nameOf = ({ name }: RoomStatus['held'][number]) => name;
const retryOf = ({ name, at }: RoomStatus['retries'][number]) => `${clockTime(Date.parse(at ?? ''))} ${name}`;

function names(heading: string, items: readonly string[], paint: Paint): string[] {
  const shown = items.slice(0, NAMES_SHOWN).map((item) => `  ${cleanLine(item)}`);
  const more = items.length > NAMES_SHOWN ? [paint('dim', `  … and ${items.length - NAMES_SHOWN} more`)] : [];
  return section(heading, [...shown, ...more], paint);
}

/** A heading with its lines; nothing where there are none. */
function section(heading: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', heading), ...lines];
}
