// Turns as lines of a terminal.
import type { OutputOf } from '../../../operations/client.ts';
import { turnLine } from '../lines/turn-lines.ts';
import type { Paint } from '../paint.ts';

export function turnLines(
  { turns }: OutputOf<'listTurns'>,
  paint: Paint,
  columns: number | null,
  nowMs: number,
): string[] {
  if (turns.length === 0) return [paint('dim', 'no turns')];
  return turns.map((turn) => turnLine(turn, nowMs, paint, columns));
}
