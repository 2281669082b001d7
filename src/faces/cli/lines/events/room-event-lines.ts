// The live log's lines of the room itself: starting, stopping, trouble and settings.
import type { RoomEvent } from '../../../../core/events.ts';
import type { Color, Paint } from '../../paint.ts';
import { plural } from '../display-text.ts';
import { lengthOf } from '../time-text.ts';
import { type LogLine, problemLines } from './log-line.ts';

// A quick scan needs no line of its own.
const SCAN_WORTH_TELLING = 5_000;

export function roomEventLines(event: RoomEvent, paint: Paint): LogLine[] {
  const line = (color: Color, glyph: string, text: string, long = false): LogLine[] => [
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
    case 'api.ready':
      return line('dim', '·', `the API answers at ${event.url ?? event.socket}`);
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
    case 'person.notified':
      return [
        {
          glyph: paint('magenta', '✉'),
          name: event.name,
          text: `${event.author}: ${event.text}`,
          long: true,
        },
      ];
    case 'webhooks.listening': {
      const whose =
        event.hears.length === 0 ? 'of no tracker: no secret is set' : `of ${event.hears.join(', ')}`;
      return line('dim', '·', `hears webhooks ${whose} at ${event.address}/hooks/…`, true);
    }
    case 'config.reloaded':
      return line('green', '✓', 'settings read again');
    case 'config.invalid':
      return problemLines('settings', event.problems, paint);
    default:
      return [];
  }
}
