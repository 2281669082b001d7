// A chore in words and with a sign: when it runs next, and how its last run ended.
import type { ChoreJson } from '../../core/chore-shapes.ts';
import type { Color } from '../paint.ts';
import { momentText } from './time-text.ts';

export function choreSign(chore: ChoreJson, spinner: string): [sign: string, color: Color] {
  if (chore.running) return [spinner, 'blue'];
  if (chore.paused || chore.stopped !== null) return ['⏸', 'yellow'];
  if (chore.failures > 0) return ['✗', 'red'];
  return chore.result?.ok ? ['✓', 'green'] : ['☐', 'gray'];
}

/** `next 20:14:03`; '' for one that runs only when it is asked for. */
export function nextRun(chore: ChoreJson, nowMs: number): string {
  if (chore.running) return 'runs now';
  if (chore.paused) return 'paused';
  if (chore.stopped !== null) return 'stands still';
  if (chore.pending) return 'asked for';
  if (chore.next_at === null) return '';
  const nextMs = Date.parse(chore.next_at);
  return nextMs <= nowMs ? 'due' : `next ${momentText(nextMs, nowMs)}`;
}

/** @param lengthOf says a length of time, in ms */
export function lastRun(chore: ChoreJson, nowMs: number, lengthOf: (ms: number) => string): string {
  const { stopped, started_at, ended_at, running, result, failures, sync } = chore;
  if (stopped !== null) return stopped;
  const since = (at: string) => lengthOf(nowMs - Date.parse(at));
  if (started_at === null)
    return sync?.synced_at ? `synced ${since(sync.synced_at)} ago, when asked` : 'never ran';
  if (running) return `since ${since(started_at)}`;
  if (ended_at === null) return `cut short ${since(started_at)} ago`;
  const turn = result?.turn ? ` (turn ${result.turn})` : '';
  const failed = failures > 1 ? `failed, ${failures} times in a row` : 'failed';
  const how = result?.ok ? 'went well' : failures > 0 ? failed : 'ended';
  return `${how} ${since(ended_at)} ago${turn}${result?.message ? `: ${result.message}` : ''}`;
}
