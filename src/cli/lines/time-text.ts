// Times as people read them: clock times in the machine's zone, lengths, distances.

const pad = (value: number) => String(value).padStart(2, '0');

/** `20:14:03` of an instant (epoch ms), local time. */
export function clockTime(atMs: number): string {
  const date = new Date(atMs);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** `2026-11-20 20:14` of an instant (epoch ms), local time. */
export function dateTime(atMs: number): string {
  const date = new Date(atMs);
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The clock time of an instant of today, its day too of any other. */
export function momentText(atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return isToday ? clockTime(atMs) : dateTime(atMs);
}

/** When a failed turn is tried again, as `2026…Z` in. */
export function retryText(at: string, nowMs: number): string {
  const atMs = Date.parse(at);
  return atMs <= nowMs ? 'is due again' : `tried again at ${momentText(atMs, nowMs)}`;
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`. */
export function lengthOf(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  const shown = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ');
}
