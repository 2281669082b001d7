// Chores as lines of a terminal: what each is and when it runs, and below it how it went last.

import type { ChoreJson, ChoreList } from '../../../core/chore-shapes.ts';
import { formatProblem, type Problem } from '../../../core/errors.ts';
import { choreSign, lastRun, nextRun } from '../lines/chore-words.ts';
import { cleanLine, fit, truncate } from '../lines/display-text.ts';
import { lengthOf } from '../lines/time-text.ts';
import type { Paint } from '../paint.ts';

const NAME_CELLS = 24;
const KIND_CELLS = 24;

/** Two lines a chore, and one for each problem of a file. */
export function choreLines(list: ChoreList, paint: Paint, columns: number | null, nowMs: number): string[] {
  if (list.chores.length + list.invalid.length === 0) return [paint('dim', 'no chores')];
  const cut = (text: string, used: number) => truncate(text, columns === null ? null : columns - used);
  const chores = list.chores.flatMap((view) => {
    const kind = cleanLine(view.source ?? `prompt`);
    const [sign, color] = choreSign(view, '⠋');
    const when = `${cleanLine(view.schedule ?? 'only when asked')}  ${nextRun(view, nowMs)}`;
    const head = `  ${paint(color, sign)} ${fit(cleanLine(view.name), NAME_CELLS)}  ${fit(kind, KIND_CELLS)}  `;
    const used = 4 + NAME_CELLS + 2 + KIND_CELLS + 2;
    const trouble = troubleOf(view);
    return [
      `${head}${cut(when, used)}`.trimEnd(),
      paint('dim', `    ${cut(cleanLine(lastRun(view, nowMs, lengthOf)), 4)}`),
      ...(trouble === null ? [] : [`    ${paint('red', '!')} ${trouble}`]),
    ];
  });
  const broken = list.invalid.flatMap(({ problems }) =>
    problems.map((problem) => `  ${paint('red', '!')} ${cleanLine(formatProblem(problem as Problem))}`),
  );
  return [...chores, ...broken];
}

/** What keeps its source from being synced, with how to mend it; it is told to its end. */
function troubleOf({ sync, result }: ChoreJson): string | null {
  if (!sync?.error) return null;
  const { message, hint } = sync.error;
  // A run of its own that failed says the message already.
  const said = result !== null && !result.ok && result.message.includes(message);
  const words = said ? [hint] : [message, hint];
  return words.some(Boolean) ? cleanLine(words.filter(Boolean).join('; ')) : null;
}
