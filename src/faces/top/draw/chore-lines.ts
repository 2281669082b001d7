// A chore as lines of the screen: what it is, when it runs next, and below it how it went last.
import { clockTime, momentText } from '../../cli/lines/time-text.ts';
import type { Color } from '../../cli/paint.ts';
import type { ChoreView } from '../../shapes/chore-json.ts';
import { columnsOf, INDENT, type RowStyle } from './columns.ts';
import { line, type Part } from './styled.ts';
import { ago, elapsed } from './time-words.ts';

export function choreLines(
  chore: ChoreView,
  mirrors: string | null,
  isChosen: boolean,
  style: RowStyle,
): string[] {
  const facts: Part[] = [nextOf(chore, style.nowMs), '  ', [chore.source ?? 'prompt', 'dim']];
  const first = columnsOf(signOf(chore, style.spinner), chore.name, facts, isChosen, style);
  if (!style.isRoomy) return [first];
  const last = `${lastOf(chore, style.nowMs)}${mirrors === null ? '' : `; ${mirrors}`}`;
  return [first, line(style, INDENT, [last, chore.failures > 0 || chore.stopped !== null ? 'red' : 'dim'])];
}

function signOf(chore: ChoreView, spinner: string): [string, Color] {
  if (chore.running) return [spinner, 'blue'];
  if (chore.paused || chore.stopped !== null) return ['⏸', 'yellow'];
  if (chore.failures > 0) return ['✗', 'red'];
  return chore.result?.ok ? ['✓', 'green'] : ['☐', 'gray'];
}

const DAY_MS = 86_400_000;

function nextOf(chore: ChoreView, nowMs: number): Part {
  if (chore.running) return ['runs now', 'blue'];
  if (chore.paused) return ['paused', 'yellow'];
  if (chore.stopped !== null) return ['stands still', 'red'];
  if (chore.pending) return ['asked for', 'yellow'];
  if (chore.nextAt === null) return 'only when asked';
  if (chore.nextAt <= nowMs) return ['due', 'yellow'];
  const at = chore.nextAt - nowMs < DAY_MS ? clockTime(chore.nextAt) : momentText(chore.nextAt, nowMs);
  return `next ${at}, in ${elapsed(chore.nextAt - nowMs)
    .split(' ')
    .slice(0, 2)
    .join(' ')}`;
}

function lastOf(
  { stopped, sync, startedAt, endedAt, running, result, failures }: ChoreView,
  nowMs: number,
): string {
  if (stopped !== null) return stopped;
  if (running && startedAt !== null) return `since ${elapsed(nowMs - startedAt)}`;
  if (sync?.error) return sync.error.message;
  if (startedAt === null) {
    const at = sync?.syncedAt ?? null;
    return at === null ? 'never ran' : `synced ${ago(nowMs - at)}`;
  }
  if (endedAt === null) return `cut short ${ago(nowMs - startedAt)}`;
  const how = result?.ok ? 'went well' : failures > 1 ? `failed ${failures} times in a row` : 'failed';
  return `${how} ${ago(nowMs - endedAt)}${result?.message ? `: ${result.message}` : ''}`;
}
