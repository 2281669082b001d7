// Times, amounts and costs as people say them, without a look at the clock.

/** Each with how many of it make one of the next. Short ones have no plural. */
const UNITS: readonly (readonly [one: string, more: string, size: number])[] = [
  ['s', 's', 60],
  ['min', 'min', 60],
  ['h', 'h', 24],
  ['day', 'days', 7],
  ['week', 'weeks', 4.35],
  ['month', 'months', 12],
  ['year', 'years', Number.POSITIVE_INFINITY],
];

/** `3 min ago`, `in 2 h`, `in 1 week`. By hand: the browser's own formatter takes longer to make than the page to be drawn. */
export function sayWhen(atMs: number, nowMs: number): string {
  let amount = Math.abs(atMs - nowMs) / 1000;
  if (amount < 5) return 'just now';
  for (const [one, more, size] of UNITS) {
    if (amount < size) {
      const whole = Math.trunc(amount);
      const said = `${whole} ${whole === 1 ? one : more}`;
      return atMs > nowMs ? `in ${said}` : `${said} ago`;
    }
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

/** `9999`, `12.3K`, `4M`. */
export function sayCount(count: number): string {
  if (count < 10_000) return String(count);
  const [size, letter] = count < 999_950 ? ([1e3, 'K'] as const) : ([1e6, 'M'] as const);
  return `${Number((count / size).toFixed(1))}${letter}`;
}
