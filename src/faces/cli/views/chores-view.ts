// Chores as lines of a terminal: what each is and when it runs, and below it how it went last.

import type { ChoreJson, ChoreList } from '../../../core/chore-shapes.ts';
import { formatProblem, type Problem } from '../../../core/errors.ts';
import { cleanLine, fit, truncate } from '../lines/display-text.ts';
import { clockTime, dateTime, lengthOf } from '../lines/time-text.ts';
import type { Paint } from '../paint.ts';

const NAME_CELLS = 24;
const KIND_CELLS = 24;
const HOURS_12 = 12 * 3_600_000;

/** Two lines a chore, and one for each problem of a file. */
export function choreLines(list: ChoreList, paint: Paint, columns: number | null, nowMs: number): string[] {
  if (list.chores.length + list.invalid.length === 0) return [paint('dim', 'no chores')];
  const cut = (text: string, used: number) => truncate(text, columns === null ? null : columns - used);
  const chores = list.chores.flatMap((view) => {
    const kind = cleanLine(view.source ?? `prompt`);
    const when = `${cleanLine(view.schedule ?? 'only when asked')}  ${nextOf(view, nowMs)}`;
    const head = `  ${signOf(view, paint)} ${fit(cleanLine(view.name), NAME_CELLS)}  ${fit(kind, KIND_CELLS)}  `;
    const used = 4 + NAME_CELLS + 2 + KIND_CELLS + 2;
    const trouble = troubleOf(view);
    return [
      `${head}${cut(when, used)}`.trimEnd(),
      paint('dim', `    ${cut(lastOf(view, nowMs), 4)}`),
      ...(trouble === null ? [] : [`    ${paint('red', '!')} ${trouble}`]),
    ];
  });
  const broken = list.invalid.flatMap(({ problems }) =>
    problems.map((problem) => `  ${paint('red', '!')} ${cleanLine(formatProblem(problem as Problem))}`),
  );
  return [...chores, ...broken];
}

function signOf(view: ChoreJson, paint: Paint): string {
  if (view.running) return paint('cyan', '⠋');
  if (view.paused || view.stopped !== null) return paint('yellow', '⏸');
  if (view.failures > 0) return paint('red', '✗');
  return view.result?.ok ? paint('green', '✓') : paint('dim', '☐');
}

function nextOf(view: ChoreJson, nowMs: number): string {
  if (view.running) return 'runs now';
  if (view.paused) return 'paused';
  if (view.stopped !== null) return 'stands still';
  if (view.pending) return 'asked for';
  if (view.next_at === null) return '';
  const nextMs = Date.parse(view.next_at);
  if (nextMs <= nowMs) return 'due';
  const at = nextMs - nowMs < HOURS_12 ? clockTime(nextMs) : dateTime(nextMs);
  return `next ${at}`;
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

function lastOf(view: ChoreJson, nowMs: number): string {
  if (view.stopped !== null) return cleanLine(view.stopped);
  const since = (at: string) => lengthOf(nowMs - Date.parse(at));
  const { started_at, ended_at, result, sync } = view;
  if (started_at === null)
    return sync?.synced_at ? `synced ${since(sync.synced_at)} ago, when asked` : 'never ran';
  if (view.running) return `since ${since(started_at)}`;
  if (ended_at === null) return `cut short ${since(started_at)} ago`;
  const turn = result?.turn ? ` (turn ${result.turn})` : '';
  const failed = view.failures > 1 ? `, ${view.failures} times in a row` : '';
  const how = result?.ok ? 'went well' : view.failures > 0 ? `failed${failed}` : 'ended';
  const message = result?.message ? `: ${result.message}` : '';
  return cleanLine(`${how} ${since(ended_at)} ago${turn}${message}`);
}
