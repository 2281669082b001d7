// What arrives as webhooks, and what is missing, as lines of a terminal.
import type { OutputOf } from '../../../operations/client.ts';
import { cleanLine, fit } from '../lines/display-text.ts';
import { withDocsFolder } from '../lines/docs-address.ts';
import { lengthOf } from '../lines/time-text.ts';
import type { Color, Paint } from '../paint.ts';

type Exam = OutputOf<'checkHooks'>;

const SIGNS: Readonly<Record<Exam['checks'][number]['state'], readonly [string, Color]>> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
};
const ABOUT_CELLS = 16;

export function hookLines(
  { checks, deliveries }: Exam,
  paint: Paint,
  _columns: number | null,
  nowMs: number,
): string[] {
  const lines = checks.flatMap(({ about, state, text, hint }) => {
    const [glyph, color] = SIGNS[state];
    const head = `${paint(color, glyph)} ${fit(cleanLine(about), ABOUT_CELLS)} ${cleanLine(text)}`;
    const indent = ' '.repeat(ABOUT_CELLS + 3);
    return hint === null ? [head] : [head, paint('dim', `${indent}${cleanLine(withDocsFolder(hint))}`)];
  });
  const counts = deliveries.map(({ provider, chore, what, count, at }) => {
    const whose = fit(cleanLine(chore ?? provider), ABOUT_CELLS);
    const ago = lengthOf(nowMs - Date.parse(at));
    return `  ${whose} ${fit(cleanLine(what), 28)} ${String(count).padStart(7)}  last ${ago} ago`;
  });
  return [...lines, ...(counts.length === 0 ? [] : ['', ...counts])];
}
