// Times as people say them, with the exact one as the tip.
import type { Turn } from '../api/shapes.ts';
import { now } from '../room/live.ts';

const STEPS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [7, 'day'],
  [4.35, 'week'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** `3 min. ago`, `in 2 hr.` */
export function sayWhen(atMs: number, nowMs: number): string {
  let amount = (atMs - nowMs) / 1000;
  if (Math.abs(amount) < 5) return 'just now';
  for (const [size, unit] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.trunc(amount), unit);
    amount /= size;
  }
  return '';
}

/** `1:04:09`, `4:09`. */
export function sayElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (count: number) => String(count).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `2 h 4 min`, `35 s`. */
export function sayDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function sayCost(usd: number | null | undefined): string | null {
  if (usd === null || usd === undefined || usd === 0) return null;
  return usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`;
}

const COUNT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function sayCount(count: number): string {
  return count < 10_000 ? String(count) : COUNT.format(count);
}

export function When({ at, prefix = '' }: { at: string | null; prefix?: string }) {
  if (at === null) return null;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {prefix}
      {sayWhen(date.getTime(), now.value)}
    </time>
  );
}

/** How long it runs, or ran. */
export function Elapsed({
  from,
  to,
  pausedMs = 0,
}: {
  from: string | null;
  to: string | null;
  pausedMs?: number;
}) {
  if (from === null) return null;
  const end = to === null ? now.value : Date.parse(to);
  return <span class="elapsed">{sayElapsed(end - Date.parse(from) - pausedMs)}</span>;
}

export function UsedCost({ turn }: { turn: Turn }) {
  const cost = sayCost(turn.usage?.cost_usd);
  return cost === null ? null : <span>{cost}</span>;
}
