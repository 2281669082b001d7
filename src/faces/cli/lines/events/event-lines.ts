// The live log: one line an event, with clock time, sign, name and what happened. Events that only matter to
// programs have no line.
import type { RoomEvent } from '../../../../core/events.ts';
import type { Paint } from '../../paint.ts';
import { cleanLine, fit, truncate } from '../display-text.ts';
import { clockTime } from '../time-text.ts';
import { agentEventLines } from './agent-event-lines.ts';
import { choreEventLines } from './chore-event-lines.ts';
import type { LogLine } from './log-line.ts';
import { mirrorEventLines } from './mirror-event-lines.ts';
import { roomEventLines } from './room-event-lines.ts';
import { taskEventLines } from './task-event-lines.ts';
import { turnEventLines } from './turn-event-lines.ts';

export interface EventStyle {
  paint: Paint;
  /** Width to keep to; null cuts nothing. */
  columns: number | null;
  /** When the event was seen, epoch ms. */
  at: number;
}

const NAME_CELLS = 26;
const CLOCK_CELLS = 8;
const LONG_ROWS = 4;

/** The lines of an event, each with its line end; empty when it has none. */
export function renderEvent(event: RoomEvent, style: EventStyle): string {
  return renderLines(linesOf(event, style), style);
}

/** How far a long sync is. */
export function renderSyncProgress(chore: string, text: string, style: EventStyle): string {
  return renderLines([{ glyph: style.paint('dim', '⇅'), name: chore, text }], style);
}

function renderLines(lines: readonly LogLine[], { paint, columns, at }: EventStyle): string {
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

function linesOf(event: RoomEvent, { paint, at }: EventStyle): LogLine[] {
  if (/^(?:room|config|person|webhooks?)\./.test(event.type)) return roomEventLines(event, paint);
  if (event.type.startsWith('agent.')) return agentEventLines(event, paint, at);
  if (event.type.startsWith('turn.')) return turnEventLines(event, paint);
  if (event.type.startsWith('chore.')) return choreEventLines(event, paint);
  if (event.type.startsWith('sync.') || event.type.startsWith('mirror.'))
    return mirrorEventLines(event, paint);
  return taskEventLines(event, paint);
}
