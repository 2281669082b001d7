// The live log's lines of chores. What a prompt does is told by its turn; here only that it stands still.
import type { RoomEvent } from '../../../../core/events.ts';
import { nameOfPath } from '../../../../core/task/task-name.ts';
import type { Paint } from '../../paint.ts';
import { clockTime, lengthOf } from '../time-text.ts';
import { type LogLine, problemLines } from './log-line.ts';

export function choreEventLines(event: RoomEvent, paint: Paint): LogLine[] {
  switch (event.type) {
    case 'chore.finished': {
      if (event.kind === 'prompt') return [];
      const text = `synced in ${lengthOf(event.tookMs)}: ${event.message}`;
      return [{ glyph: paint('green', '⇅'), name: event.name, text }];
    }
    case 'chore.failed': {
      // Its turn told what failed.
      if (event.kind === 'prompt' && event.retryAt !== null)
        return [
          { glyph: paint('yellow', '↻'), name: event.name, text: `again at ${clockTime(event.retryAt)}` },
        ];
      const what = event.kind === 'mirror' ? 'sync failed: ' : 'chore failed: ';
      const hint = event.hint === null ? '' : `; ${event.hint}`;
      const again = event.retryAt === null ? '' : `; again at ${clockTime(event.retryAt)}`;
      const text = `${what}${event.message}${hint}${again}`;
      return [{ glyph: paint('red', '!'), name: event.name, text, long: true }];
    }
    case 'chore.invalid':
      return problemLines(nameOfPath(event.path), event.problems, paint);
    case 'chore.mended':
      return [
        { glyph: paint('green', '✓'), name: nameOfPath(event.path), text: 'the chore can be read again' },
      ];
    default:
      return [];
  }
}
