// The state of a room on a terminal.

import { formatProblem } from '../../../core/errors.ts';
import { spentJson } from '../../../core/rules/budget.ts';
import type { WorkersJson } from '../../../tasks/shapes/workers.ts';
import type { RoomStatus } from '../../shapes/room-status.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, plural } from './display-text.ts';
import { progressLine } from './task-lines.ts';
import { clockTime, dateTime, lengthOf, momentText } from './time-text.ts';
import { turnLine } from './turn-lines.ts';
import { spentText } from './usage-text.ts';
import { placeText, workerLine } from './worker-lines.ts';

const NAMES_SHOWN = 10;

/** The whole of `taskroom status`; ends with a line end. */
export function renderStatus(
  status: RoomStatus,
  nowMs: number,
  paint: Paint,
  columns: number | null,
): string {
  const { daemon, running, untold } = status;
  const { elsewhere } = status;
  const show = (turn: RoomStatus['untold'][number]) => turnLine(turn, nowMs, paint, columns);
  const showRunning = (turn: RoomStatus['running'][number]) =>
    turnLine(turn, nowMs, paint, columns, placeText(elsewhere.places?.[turn.id]));
  const left = 'Left running in the record; the next start looks after them';
  const more = untold.length - NAMES_SHOWN;
  const problems = [...status.problems, ...status.invalid.flatMap((file) => file.problems)];
  const lines = [
    `${paint('bold', 'Room')}    ${cleanLine(status.room)}`,
    `${paint('bold', 'Daemon')}  ${daemonText(daemon, nowMs, paint)}`,
    progressLine(status.counts, paint),
    ...(status.today.turns === 0
      ? []
      : [`${paint('bold', 'Today')}   ${spentText(spentJson(status.today))}`]),
    ...(status.inbox === 0 ? [] : [`${paint('bold', 'Inbox')}   ${inboxText(status.inbox)}`]),
    ...names('Trouble', status.trouble.map(troubleText), paint),
    ...section(daemon === null ? left : 'Running', running.map(showRunning), paint),
    ...(elsewhere.places === null ? [] : section('Workers', workersText(elsewhere, paint), paint)),
    ...section('Ended since you last looked', untold.slice(0, NAMES_SHOWN).map(show), paint),
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
  return `${lines.join('\n')}\n`;
}

function daemonText(daemon: RoomStatus['daemon'], nowMs: number, paint: Paint): string {
  if (daemon === null) return `${paint('yellow', 'none')}; start it with: taskroom up`;
  const { pid, host, command, since } = daemon;
  const age = since > 0 ? `, since ${dateTime(since)} (${lengthOf(nowMs - since)})` : '';
  return `${paint('green', 'runs')}: pid ${pid} on ${host} (taskroom ${command})${age}`;
}

function workersText({ workers }: WorkersJson, paint: Paint): string[] {
  const shown = workers.slice(0, NAMES_SHOWN).map((worker) => `  ${workerLine(worker, paint)}`);
  const more = workers.length - shown.length;
  if (workers.length === 0) return ['  none: taskroom worker, on another machine or here'];
  return more > 0 ? [...shown, paint('dim', `  … and ${more} more: taskroom workers`)] : shown;
}

const troubleText = ({ message, hint }: RoomStatus['trouble'][number]) =>
  hint === null ? message : `${message}; ${hint}`;
const stuckText = ({ name, whyNot }: RoomStatus['stuck'][number]) =>
  `${name}: ${whyNot.text}; ${whyNot.hint}`;
export const noticeText = ({ at, from, name, text }: RoomStatus['notices'][number]) =>
  `${dateTime(Date.parse(at))} ${from.replace(/^agent:/, '')}${name === null ? '' : ` on ${name}`}: ${text}`;
function waitingText({ text, until, takenBy, tasks }: RoomStatus['waiting'][number], nowMs: number): string {
  const who =
    takenBy === null
      ? `${plural(tasks, 'task')} wait${tasks === 1 ? 's' : ''}`
      : `${takenBy} takes its turns`;
  return `${text} until ${momentText(until, nowMs)}; ${who}`;
}

const inboxText = (count: number) =>
  `${plural(count, 'thing')} need${count === 1 ? 's' : ''} you: taskroom inbox`;
const nameOf = ({ name }: RoomStatus['held'][number]) => name;
const retryOf = ({ name, retryAt }: RoomStatus['retries'][number]) => `${clockTime(retryAt)} ${name}`;

function names(heading: string, items: readonly string[], paint: Paint): string[] {
  const shown = items.slice(0, NAMES_SHOWN).map((item) => `  ${cleanLine(item)}`);
  const more = items.length > NAMES_SHOWN ? [paint('dim', `  … and ${items.length - NAMES_SHOWN} more`)] : [];
  return section(heading, [...shown, ...more], paint);
}

/** A heading with its lines; nothing where there are none. */
function section(heading: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', heading), ...lines];
}
