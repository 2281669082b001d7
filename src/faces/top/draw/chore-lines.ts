// A chore as lines of the screen: what it is, when it runs next, and below it how it went last.

import type { ChoreJson } from '../../../core/chore-shapes.ts';
import { clockTime, momentText } from '../../cli/lines/time-text.ts';
import type { Color } from '../../cli/paint.ts';
import { columnsOf, INDENT, type RowStyle } from './columns.ts';
import { line, type Part } from './styled.ts';
import { ago, elapsed } from './time-words.ts';

export function choreLines(
  chore: ChoreJson,
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

function signOf(chore: ChoreJson, spinner: string): [string, Color] {
  if (chore.running) return [spinner, 'blue'];
  if (chore.paused || chore.stopped !== null) return ['⏸', 'yellow'];
  if (chore.failures > 0) return ['✗', 'red'];
  return chore.result?.ok ? ['✓', 'green'] : ['☐', 'gray'];
}

const DAY_MS = 86_400_000;

function nextOf(chore: ChoreJson, nowMs: number): Part {
  if (chore.running) return ['runs now', 'blue'];
  if (chore.paused) return ['paused', 'yellow'];
  if (chore.stopped !== null) return ['stands still', 'red'];
  if (chore.pending) return ['asked for', 'yellow'];
  if (chore.next_at === null) return 'only when asked';
  const nextMs = Date.parse(chore.next_at);
  if (nextMs <= nowMs) return ['due', 'yellow'];
  const at = nextMs - nowMs < DAY_MS ? clockTime(nextMs) : momentText(nextMs, nowMs);
  return `next ${at}, in ${elapsed(nextMs - nowMs)
    .split(' ')
    .slice(0, 2)
    .join(' ')}`;
}

function lastOf(
  { stopped, sync, started_at, ended_at, running, result, failures }: ChoreJson,
  nowMs: number,
): string {
  if (stopped !== null) return stopped;
  const since = (at: string) => nowMs - Date.parse(at);
  if (running && started_at !== null) return `since ${elapsed(since(started_at))}`;
  if (sync?.error) return sync.error.message;
  if (started_at === null) return sync?.synced_at ? `synced ${ago(since(sync.synced_at))}` : 'never ran';
  if (ended_at === null) return `cut short ${ago(since(started_at))}`;
  const how = result?.ok ? 'went well' : failures > 1 ? `failed ${failures} times in a row` : 'failed';
  return `${how} ${ago(since(ended_at))}${result?.message ? `: ${result.message}` : ''}`;
}
