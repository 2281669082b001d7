// The live log's lines of mirrors and of pushes: what came in, what went back, and what a person has to look at. Whole
// syncs are told by the chores that run them.
import type { RoomEvent } from '../../../../core/events.ts';
import type { Color, Paint } from '../../paint.ts';
import { plural } from '../display-text.ts';
import type { LogLine } from './log-line.ts';

export function mirrorEventLines(event: RoomEvent, paint: Paint): LogLine[] {
  const line = (color: Color, glyph: string, name: string, text: string, long = false): LogLine[] => [
    { glyph: paint(color, glyph), name, text, long },
  ];
  switch (event.type) {
    case 'sync.failed': {
      // The chore that ran a whole sync says so itself, with the time of its next try.
      if (event.direction !== 'push') return [];
      const hint = event.hint === null ? '' : `; ${event.hint}`;
      return line('red', '!', event.chore, `changes could not be sent: ${event.message}${hint}`, true);
    }
    case 'mirror.updated': {
      const what = updateOf(event);
      return what === '' ? [] : line('cyan', '↓', event.name, `from upstream: ${what}`);
    }
    case 'mirror.pushed':
      return line('green', '↑', event.name, pushOf(event));
    case 'mirror.conflict': {
      const kept = event.kept.length === 0 ? '' : `; the text that lost lies in ${event.kept.join(', ')}`;
      const text = `both sides changed ${event.fields.map(fieldWord).join(', ')}${kept}`;
      return line('yellow', '≠', event.name, text, true);
    }
    case 'mirror.settled': {
      const whose = {
        standing: 'it stays',
        lost: 'the other text was taken',
        own: 'with a text of your own',
      };
      return line('green', '✓', event.name, `${fieldWord(event.field)} settled: ${whose[event.take]}`);
    }
    case 'mirror.detached':
      return line('yellow', '·', event.name, `no longer follows ${event.ref}: ${event.reason}`, true);
    case 'mirror.paused': {
      const text = `waits for you: ${event.reason}; taskroom resume ${event.id} lets it run`;
      return line('yellow', '⏸', event.name, text, true);
    }
    default:
      return [];
  }
}

type Updated = Extract<RoomEvent, { type: 'mirror.updated' }>;
type Pushed = Extract<RoomEvent, { type: 'mirror.pushed' }>;

function updateOf({ fields, comments }: Updated): string {
  // `remote:` put back and a pause are not the tracker's words.
  const said = fields.filter((field) => field !== 'remote' && field !== 'paused').map(fieldWord);
  return [...said, ...counted(comments, 'comment')].join(', ');
}

function pushOf({ status, fields, comments, edited }: Pushed): string {
  const parts = [
    status === null ? '' : statusWord(status),
    ...fields.map(fieldWord),
    ...counted(comments, 'comment'),
    ...counted(edited, 'comment').map((text) => `${text} brought up to date`),
  ];
  const text = parts.filter(Boolean).join(', ');
  return status === null ? `sent upstream: ${text}` : text;
}

function statusWord(status: NonNullable<Pushed['status']>): string {
  if (status === 'done') return 'closed upstream';
  return status === 'canceled' ? 'closed upstream as not planned' : `now ${status} upstream`;
}

function fieldWord(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('_', ' ');
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [plural(count, what)];
}
