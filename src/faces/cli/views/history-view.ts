// Finished tasks as lines of a terminal.
import type { OutputOf } from '../../../operations/client.ts';
import { cleanLine } from '../lines/display-text.ts';
import { dateTime } from '../lines/time-text.ts';
import type { Paint } from '../paint.ts';

export function historyLines({ history }: OutputOf<'history'>, paint: Paint): string[] {
  if (history.length === 0) return [paint('dim', 'nothing is finished yet')];
  return history.map(({ archived_at, id, name, status }) => {
    const glyph = status === 'done' ? paint('green', '✓') : paint('dim', '✗');
    return `  ${glyph} ${dateTime(Date.parse(archived_at))}  ${paint('dim', id.padEnd(8))}  ${cleanLine(name)}`;
  });
}
