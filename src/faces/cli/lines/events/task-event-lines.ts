// The live log's lines of tasks and their files: a change of state first, then what happened to the file.
import type { RoomEvent } from '../../../../core/events.ts';
import { nameOfPath } from '../../../../core/task/task-name.ts';
import type { Color, Paint } from '../../paint.ts';
import { plural } from '../display-text.ts';
import { taskGlyph } from '../glyphs.ts';
import { type LogLine, problemLines } from './log-line.ts';

export function taskEventLines(event: RoomEvent, paint: Paint): LogLine[] {
  return stateLines(event, paint) ?? fileLines(event, paint);
}

/** Null for an event that is none of a task's state. */
function stateLines(event: RoomEvent, paint: Paint): LogLine[] | null {
  const state = (status: Parameters<typeof taskGlyph>[0]['status'], more = {}) =>
    taskGlyph({ status, paused: false, blocked: false, running: false, ...more }, paint);
  switch (event.type) {
    case 'task.changed':
      // That a turn makes its task doing is told by the turn.
      if (event.status === 'doing') return [];
      return [{ glyph: state(event.status), name: event.name, text: `${event.was} → ${event.status}` }];
    case 'task.stepped': {
      const text = `step ${event.done}/${event.total}: ${event.title}`;
      return [{ glyph: paint('green', '☑'), name: event.name, text }];
    }
    case 'task.blocked': {
      const text = `waits for ${event.by.join(', ')}`;
      return [{ glyph: state('todo', { blocked: true }), name: event.name, text }];
    }
    case 'task.unblocked':
      return [{ glyph: state('todo'), name: event.name, text: 'waits no more' }];
    case 'task.paused': {
      const text = `paused: ${event.reason}`;
      return [{ glyph: state('todo', { paused: true }), name: event.name, text, long: true }];
    }
    case 'task.resumed':
      return [{ glyph: state('todo'), name: event.name, text: 'resumed' }];
    case 'task.edited_after_end': {
      const text = `was edited, and is ${event.status}: taskroom reopen starts it`;
      return [{ glyph: state(event.status), name: event.name, text }];
    }
    case 'question.asked': {
      const text = `asks: ${event.text}`;
      return [{ glyph: state('todo', { waiting: true }), name: event.name, text, long: true }];
    }
    case 'question.answered':
      return [{ glyph: state('todo'), name: event.name, text: 'its question is answered' }];
    case 'question.withdrawn':
      return [{ glyph: state('todo'), name: event.name, text: `asks no more: ${event.text}` }];
    case 'tasks.held': {
      const text = `${plural(event.count, 'task')} held, since so many changed at once; taskroom run --all releases them`;
      return [{ glyph: paint('yellow', '⏸'), name: '', text }];
    }
    default:
      return null;
  }
}

function fileLines(event: RoomEvent, paint: Paint): LogLine[] {
  const line = (name: string, text: string, color: Color = 'dim', glyph = '·'): LogLine[] => [
    { glyph: paint(color, glyph), name, text },
  ];
  switch (event.type) {
    case 'task.renamed':
      return line(event.name, `renamed, was ${event.was}`);
    case 'task.copied':
      return line(event.name, `a copy of ${event.of}, with an id of its own`);
    case 'task.gone':
      return line(event.name, 'its file is gone');
    case 'task.archived':
      return line(event.name, `archived: ${event.path}`);
    case 'task.invalid':
      return problemLines(nameOfPath(event.path), event.problems, paint);
    case 'task.odd_keys':
      return event.problems.flatMap((problem) =>
        line(nameOfPath(event.path), `${problem.message}; ${problem.hint ?? ''}`, 'yellow', '?'),
      );
    case 'task.mended':
      return line(nameOfPath(event.path), 'can be read again', 'green', '✓');
    case 'task.restored': {
      const text = `${plural(event.entries, 'entry', 'entries')} put back that an editor's older text had dropped`;
      return line(nameOfPath(event.path), text, 'yellow', '↺');
    }
    default:
      return [];
  }
}
