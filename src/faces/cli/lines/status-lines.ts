// The state of a room on a terminal.
import { formatProblem } from '../../../core/errors.ts';
import type { RoomStatus } from '../../shapes/room-status.ts';
import type { Paint } from '../paint.ts';
import { cleanLine } from './display-text.ts';
import { progressLine } from './task-lines.ts';
import { clockTime, dateTime, lengthOf } from './time-text.ts';
import { turnLine } from './turn-lines.ts';

const NAMES_SHOWN = 10;

/** The whole of `taskroom status`; ends with a line end. */
export function renderStatus(
  status: RoomStatus,
  nowMs: number,
  paint: Paint,
  columns: number | null,
): string {
  const { daemon } = status;
  const lines = [`${paint('bold', 'Room')}    ${cleanLine(status.room)}`];
  if (daemon === null)
    lines.push(`${paint('bold', 'Daemon')}  ${paint('yellow', 'none')}; start it with: taskroom up`);
  else {
    const since =
      daemon.since > 0 ? `, since ${dateTime(daemon.since)} (${lengthOf(nowMs - daemon.since)})` : '';
    lines.push(
      `${paint('bold', 'Daemon')}  ${paint('green', 'runs')}: pid ${daemon.pid} on ${daemon.host} (taskroom ${daemon.command})${since}`,
    );
  }
  lines.push(progressLine(status.counts, paint));
  if (status.running.length > 0) {
    const heading =
      daemon === null ? 'Left running in the record; the next start looks after them' : 'Running';
    lines.push(
      '',
      paint('bold', heading),
      ...status.running.map((turn) => turnLine(turn, nowMs, paint, columns)),
    );
  }
  if (status.untold.length > 0) {
    const shown = status.untold.slice(0, NAMES_SHOWN);
    const more = status.untold.length - shown.length;
    lines.push(
      '',
      paint('bold', 'Ended since you last looked'),
      ...shown.map((turn) => turnLine(turn, nowMs, paint, columns)),
      ...(more > 0 ? [paint('dim', `  … and ${more} more: taskroom turns`)] : []),
    );
  }
  lines.push(
    ...names(
      'Asked for',
      status.pending.map((task) => task.name),
      paint,
    ),
  );
  lines.push(
    ...names(
      'Held (taskroom run --all releases them)',
      status.held.map((task) => task.name),
      paint,
    ),
  );
  lines.push(
    ...names(
      'Tried again',
      status.retries.map((task) => `${clockTime(task.retryAt)} ${task.name}`),
      paint,
    ),
  );
  const problems = [...status.problems, ...status.invalid.flatMap((file) => file.problems)];
  lines.push(...names("Can't be read", problems.map(formatProblem), paint));
  return `${lines.join('\n')}\n`;
}

function names(heading: string, items: readonly string[], paint: Paint): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, NAMES_SHOWN).map((item) => `  ${cleanLine(item)}`);
  const more = items.length > NAMES_SHOWN ? [paint('dim', `  … and ${items.length - NAMES_SHOWN} more`)] : [];
  return ['', paint('bold', heading), ...shown, ...more];
}
