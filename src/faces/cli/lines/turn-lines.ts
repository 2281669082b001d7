// Turns as lines of a terminal.

import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, fit, truncate } from './display-text.ts';
import { turnGlyph } from './glyphs.ts';
import { dateTime, lengthOf } from './time-text.ts';
import { usageText } from './usage-text.ts';

const NAME_CELLS = 32;

/** One line a turn. `nowMs` gives the length of running ones; `columns` null cuts nothing; `place` is where it runs. */
export function turnLine(
  turn: TurnJson,
  nowMs: number,
  paint: Paint,
  columns: number | null,
  place = '',
): string {
  const from = Date.parse(turn.started_at ?? turn.asked_at!);
  const took = lengthOf((turn.ended_at === null ? nowMs : Date.parse(turn.ended_at)) - from);
  const head = `  ${turnGlyph(turn.state, paint)} ${paint('dim', turn.id)}  ${dateTime(from)}  ${took.padStart(12)}  `;
  const used = 4 + turn.id.length + 2 + 16 + 2 + 12 + 2;
  const facts = [
    turn.limited_until === null
      ? turnEnd(turn)
      : `${turnEnd(turn)} until ${dateTime(Date.parse(turn.limited_until))}`,
    `@${cleanLine(turn.agent)}`,
    place,
    turn.attempt > 1 ? `attempt ${turn.attempt}` : '',
    turn.usage === null ? '' : usageText(turn.usage),
    cleanLine(turn.message ?? ''),
  ];
  const rest = `${fit(cleanLine(turn.description), NAME_CELLS)}  ${facts.filter(Boolean).join('  ')}`;
  return `${head}${truncate(rest, columns === null ? null : columns - used)}`.trimEnd();
}

/** Of which the machine did not sleep, ms. */
export function lengthOfTurn({ asked_at, started_at, ended_at, paused_ms }: TurnJson, nowMs: number): number {
  return (ended_at === null ? nowMs : Date.parse(ended_at)) - Date.parse(started_at ?? asked_at!) - paused_ms;
}

/** How a turn stands, in words: `running`, `completed`, `failed: timed out`. */
export function turnEnd({ state, reason }: Pick<TurnJson, 'state' | 'reason'>): string {
  if (reason === null || reason === 'ok') return state;
  return `${state}: ${reason.replaceAll('_', ' ')}`;
}
