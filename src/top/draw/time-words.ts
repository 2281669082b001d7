// Lengths of time on a screen that is drawn anew each second: whole seconds, and no more than says something.
import { lengthOf } from '../../cli/lines/time-text.ts';

/** `4 s`, `3 min 20 s`, `2 h 5 min`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return seconds < 10 ? `${seconds} s` : lengthOf(seconds * 1000);
}

/** `just now`, `12 min ago`, `2 h ago`. */
export function ago(ms: number): string {
  if (ms < 60_000) return 'just now';
  return `${elapsed(ms).split(' ').slice(0, 2).join(' ')} ago`;
}
