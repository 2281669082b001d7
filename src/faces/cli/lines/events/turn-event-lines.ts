// The live log's lines of turns: their start, their end, and when they are tried again, and what their agents may not do.
import type { RoomEvent } from '../../../../core/events.ts';
import type { Paint } from '../../paint.ts';
import { turnGlyph } from '../glyphs.ts';
import { clockTime, lengthOf } from '../time-text.ts';
import type { LogLine } from './log-line.ts';

type Started = Extract<RoomEvent, { type: 'turn.started' }>;
type Ended = Extract<RoomEvent, { type: 'turn.ended' }>;

/** Ends that count as completed, and yet leave something to be said. */
const SAYS_WHY: ReadonlySet<string> = new Set(['nothing_written', 'checks_failed']);

export function turnEventLines(event: RoomEvent, paint: Paint): LogLine[] {
  switch (event.type) {
    case 'turn.started':
      return [{ glyph: turnGlyph('running', paint), name: event.name, text: startOf(event) }];
    case 'turn.ended': {
      const long = event.state === 'failed' || SAYS_WHY.has(event.reason);
      return [{ glyph: turnGlyph(event.state, paint), name: event.name, text: endOf(event), long }];
    }
    case 'turn.claimed': {
      const text = `at worker ${event.worker}${event.attempt === 0 ? '' : ', since the one before lost it'}`;
      return [{ glyph: turnGlyph('running', paint), name: event.name, text }];
    }
    case 'turn.late_report': {
      const text = `worker ${event.worker}, which had lost this turn, told of it too late`;
      return [{ glyph: paint('yellow', '!'), name: event.turn, text, long: true }];
    }
    case 'turn.checking':
      return [
        {
          glyph: turnGlyph('running', paint),
          name: event.name,
          text: `checks run: ${event.checks.join(' · ')}`,
        },
      ];
    case 'turn.checked': {
      const text = event.message === null ? 'checks passed' : `a check failed: ${event.message}`;
      const glyph = event.ok ? paint('green', '✓') : paint('red', '✗');
      return [{ glyph, name: event.name, text, long: !event.ok }];
    }
    case 'turn.retrying': {
      const text = `attempt ${event.attempt} at ${clockTime(event.retryAt)}`;
      return [{ glyph: paint('yellow', '↻'), name: event.name, text }];
    }
    case 'turn.refused': {
      const text = `refused its agent: ${event.message}`;
      return [{ glyph: paint('yellow', '!'), name: event.name, text, long: true }];
    }
    default:
      return [];
  }
}

function startOf({ adopted, agent, reasons, attempt }: Started): string {
  const facts = [
    adopted ? 'found running' : 'started',
    `@${agent}`,
    reasons.length === 0 ? '' : `(${reasons.map(words).join(', ')})`,
    attempt > 1 ? `attempt ${attempt}` : '',
  ];
  return facts.filter(Boolean).join('  ');
}

function endOf({ state, reason, exitCode, message, tookMs }: Ended): string {
  const why = reason === 'exit' && exitCode !== null ? `exit code ${exitCode}` : words(reason);
  // Its message says the exit code by itself.
  if (message.startsWith(why)) return `turn ${state} after ${lengthOf(tookMs)}: ${message}`;
  return `turn ${state}${reason === 'ok' ? '' : `: ${why}`} after ${lengthOf(tookMs)}${message === '' ? '' : `; ${message}`}`;
}

function words(reason: string): string {
  return reason.replaceAll('_', ' ');
}
