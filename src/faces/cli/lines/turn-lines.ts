// Turns as lines of a terminal.

import { snakeKeys } from '../../../core/snake-keys.ts';
import type { TurnView } from '../../../tasks/contract/operations.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, fit, truncate } from './display-text.ts';
import { turnGlyph } from './glyphs.ts';
import { dateTime, lengthOf } from './time-text.ts';
import { usageText } from './usage-text.ts';

const NAME_CELLS = 32;

/** One line a turn. `nowMs` gives the length of running ones; `columns` null cuts nothing; `place` is where it runs. */
export function turnLine(
  turn: TurnView,
  nowMs: number,
  paint: Paint,
  columns: number | null,
  place = '',
): string {
  const took = lengthOf((turn.endedAt ?? nowMs) - turn.startedAt);
  const head = `  ${turnGlyph(turn.state, paint)} ${paint('dim', turn.id)}  ${dateTime(turn.startedAt)}  ${took.padStart(12)}  `;
  const used = 4 + turn.id.length + 2 + 16 + 2 + 12 + 2;
  const facts = [
    turn.limitedUntil === null ? turnEnd(turn) : `${turnEnd(turn)} until ${dateTime(turn.limitedUntil)}`,
    `@${cleanLine(turn.agent)}`,
    place,
    turn.attempt > 1 ? `attempt ${turn.attempt}` : '',
    turn.usage === null ? '' : usageText(snakeKeys(turn.usage) as Parameters<typeof usageText>[0]),
    cleanLine(turn.message ?? ''),
  ];
  const rest = `${fit(cleanLine(turn.description), NAME_CELLS)}  ${facts.filter(Boolean).join('  ')}`;
  return `${head}${truncate(rest, columns === null ? null : columns - used)}`.trimEnd();
}

/** How a turn stands, in words: `running`, `completed`, `failed: timed out`. */
export function turnEnd({ state, reason }: Pick<TurnView, 'state' | 'reason'>): string {
  if (reason === null || reason === 'ok') return state;
  return `${state}: ${reason.replaceAll('_', ' ')}`;
}
