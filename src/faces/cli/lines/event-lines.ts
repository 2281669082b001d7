// The live log: one line an event, with clock time, sign, name and what happened. Events that only matter to
// programs have no line.
import { formatProblem, type Problem } from '../../../core/errors.ts';
import type { RoomEvent } from '../../../core/events.ts';
import type { Color, Paint } from '../paint.ts';
import { choreEventLines } from './chore-event-lines.ts';
import { cleanLine, fit, plural, truncate } from './display-text.ts';
import { taskGlyph, turnGlyph } from './glyphs.ts';
import { mirrorEventLines } from './mirror-event-lines.ts';
import { clockTime, lengthOf } from './time-text.ts';

export interface EventStyle {
  paint: Paint;
  /** Width to keep to; null cuts nothing. */
  columns: number | null;
  /** When the event was seen, epoch ms. */
  at: number;
}

interface Line {
  glyph: string;
  name: string;
  text: string;
  /** What went wrong is told to its end, over more than one row where it must. */
  long?: boolean;
}

const NAME_CELLS = 26;
const CLOCK_CELLS = 8;
const LONG_ROWS = 4;
// A quick scan needs no line of its own.
const SCAN_WORTH_TELLING = 5_000;

/** The lines of an event, each with its line end; empty when it has none. */
export function renderEvent(event: RoomEvent, style: EventStyle): string {
  return renderLines(linesOf(event, style.paint), style);
}

/** How far a long sync is. */
export function renderSyncProgress(chore: string, text: string, style: EventStyle): string {
  return renderLines([{ glyph: style.paint('dim', '⇅'), name: chore, text }], style);
}

function renderLines(lines: readonly Line[], { paint, columns, at }: EventStyle): string {
  return lines
    .map(({ glyph, name, text, long }) => {
      const shown = name === '' ? '' : `${fit(cleanLine(name), NAME_CELLS)}  `;
      const used = CLOCK_CELLS + 2 + 2 + (name === '' ? 0 : NAME_CELLS + 2);
      const rest = truncate(
        cleanLine(text),
        columns === null ? null : columns * (long ? LONG_ROWS : 1) - used,
      );
      return `${paint('dim', clockTime(at))}  ${glyph} ${shown}${rest}`.trimEnd().concat('\n');
    })
    .join('');
}

function linesOf(event: RoomEvent, paint: Paint): Line[] {
  if (event.type.startsWith('room.') || event.type.startsWith('config.')) return roomLines(event, paint);
  if (event.type.startsWith('turn.')) return turnLines(event, paint);
  if (event.type.startsWith('chore.')) return choreEventLines(event, paint);
  if (event.type.startsWith('sync.') || event.type.startsWith('mirror.'))
    return mirrorEventLines(event, paint);
  return taskLines(event, paint);
}

function roomLines(event: RoomEvent, paint: Paint): Line[] {
  const line = (color: Color, glyph: string, text: string, long = false): Line[] => [
    { glyph: paint(color, glyph), name: '', text, long },
  ];
  switch (event.type) {
    case 'room.scanning':
      return event.total < SCAN_WORTH_TELLING
        ? []
        : line('dim', '·', `reading ${event.done} of ${event.total} files`);
    case 'room.ready': {
      const invalid = event.invalid === 0 ? '' : `, ${event.invalid} can't be read`;
      return line(
        'green',
        '✓',
        `ready: ${plural(event.tasks, 'task')}${invalid} (${lengthOf(event.tookMs)})`,
      );
    }
    case 'room.idle':
      return line('dim', '·', 'idle: nothing is due');
    case 'room.stopping':
      return line(
        'yellow',
        '■',
        event.turns === 0
          ? 'stopping'
          : `stopping: waiting up to 30 s for ${plural(event.turns, 'turn')}; Ctrl-C again stops now`,
      );
    case 'room.stopped':
      return line('dim', '■', 'stopped');
    case 'room.trouble':
      return line('red', '!', event.hint === null ? event.message : `${event.message}; ${event.hint}`, true);
    case 'room.mended':
      return line('green', '✓', event.message);
    case 'config.reloaded':
      return line('green', '✓', 'settings read again');
    case 'config.invalid':
      return problemLines('settings', event.problems, paint);
    default:
      return [];
  }
}

function taskLines(event: RoomEvent, paint: Paint): Line[] {
  const state = (status: 'draft' | 'todo' | 'doing' | 'done' | 'canceled', more = {}) =>
    taskGlyph({ status, paused: false, blocked: false, running: false, ...more }, paint);
  switch (event.type) {
    case 'task.changed':
      // That a turn makes its task doing is told by the turn.
      if (event.status === 'doing') return [];
      return [{ glyph: state(event.status), name: event.name, text: `${event.was} → ${event.status}` }];
    case 'task.stepped':
      return [
        {
          glyph: paint('green', '☑'),
          name: event.name,
          text: `step ${event.done}/${event.total}: ${event.title}`,
        },
      ];
    case 'task.blocked':
      return [
        {
          glyph: state('todo', { blocked: true }),
          name: event.name,
          text: `waits for ${event.by.join(', ')}`,
        },
      ];
    case 'task.unblocked':
      return [{ glyph: state('todo'), name: event.name, text: 'waits no more' }];
    case 'task.paused':
      return [
        {
          glyph: state('todo', { paused: true }),
          name: event.name,
          text: `paused: ${event.reason}`,
          long: true,
        },
      ];
    case 'task.resumed':
      return [{ glyph: state('todo'), name: event.name, text: 'resumed' }];
    case 'task.renamed':
      return [{ glyph: paint('dim', '·'), name: event.name, text: `renamed, was ${event.was}` }];
    case 'task.copied':
      return [
        { glyph: paint('dim', '·'), name: event.name, text: `a copy of ${event.of}, with an id of its own` },
      ];
    case 'task.gone':
      return [{ glyph: paint('dim', '·'), name: event.name, text: 'its file is gone' }];
    case 'task.archived':
      return [{ glyph: paint('dim', '·'), name: event.name, text: `archived: ${event.path}` }];
    case 'task.invalid':
      return problemLines(nameOf(event.path), event.problems, paint);
    case 'task.mended':
      return [{ glyph: paint('green', '✓'), name: nameOf(event.path), text: 'can be read again' }];
    case 'task.restored':
      return [
        {
          glyph: paint('yellow', '↺'),
          name: nameOf(event.path),
          text: `${plural(event.entries, 'entry', 'entries')} put back that an editor's older text had dropped`,
        },
      ];
    case 'tasks.held':
      return [
        {
          glyph: paint('yellow', '⏸'),
          name: '',
          text: `${plural(event.count, 'task')} held, since so many changed at once; taskroom run --all releases them`,
        },
      ];
    default:
      return [];
  }
}

function turnLines(event: RoomEvent, paint: Paint): Line[] {
  switch (event.type) {
    case 'turn.started': {
      const facts = [
        event.adopted ? 'found running' : 'started',
        `@${event.agent}`,
        reasonsOf(event.reasons),
        event.attempt > 1 ? `attempt ${event.attempt}` : '',
      ];
      return [
        { glyph: turnGlyph('running', paint), name: event.name, text: facts.filter(Boolean).join('  ') },
      ];
    }
    case 'turn.ended': {
      const reason =
        event.reason === 'ok'
          ? ''
          : `: ${event.reason === 'exit' && event.exitCode !== null ? `exit code ${event.exitCode}` : event.reason.replaceAll('_', ' ')}`;
      const message = event.message === '' ? '' : `; ${event.message}`;
      const text = `turn ${event.state}${reason} after ${lengthOf(event.tookMs)}${message}`;
      return [
        { glyph: turnGlyph(event.state, paint), name: event.name, text, long: event.state === 'failed' },
      ];
    }
    case 'turn.retrying':
      return [
        {
          glyph: paint('yellow', '↻'),
          name: event.name,
          text: `attempt ${event.attempt} at ${clockTime(event.retryAt)}`,
        },
      ];
    default:
      return [];
  }
}

function problemLines(name: string, problems: readonly Problem[], paint: Paint): Line[] {
  return problems.map((problem) => ({
    glyph: paint('red', '!'),
    name,
    text: formatProblem(problem),
    long: true,
  }));
}

function reasonsOf(reasons: readonly string[]): string {
  return reasons.length === 0 ? '' : `(${reasons.map((reason) => reason.replaceAll('_', ' ')).join(', ')})`;
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/, '');
}
