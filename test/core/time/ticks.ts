// The ticks of a schedule as a table test writes them.

export const ms = (iso: string): number => Date.parse(iso);
export const iso = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString().replace('.000Z', 'Z');

/** What `next` gives from a moment on, each from the one before; fewer where the schedule ends. */
export function ticksOf(next: (fromMs: number) => number | null, from: string, count: number) {
  const found: (string | null)[] = [];
  let at: number | null = ms(from);
  for (let i = 0; i < count && at !== null; i += 1) {
    at = next(at);
    found.push(iso(at));
  }
  return found;
}
