// Looking again, but not all the time: at once when something was touched, then less and less often while it is touched without rest.

/** A page that stood still for long, in the background say, is up to date soon after. */
const MOST_PAUSE_MS = 4_000;

/** @param look is never run twice at once; a touch meanwhile runs it once more
 * @param gapMs least time between two looks; a look that took long makes it longer, up to {@link MOST_PAUSE_MS}
 * @param mostMs what it grows to while there is no rest */
export function createPaced(look: () => Promise<void>, gapMs: number, mostMs = gapMs) {
  let isLooking = false;
  let isTouched = false;
  let isPlanned = false;
  let notBefore = 0;
  let gap = gapMs;

  async function run(): Promise<void> {
    isPlanned = false;
    isLooking = true;
    isTouched = false;
    const began = performance.now();
    try {
      await look();
    } finally {
      isLooking = false;
      const now = performance.now();
      notBefore = now + Math.max(gap, Math.min(4 * (now - began), MOST_PAUSE_MS));
      gap = Math.min(2 * gap, mostMs);
      if (isTouched) touch();
    }
  }
  function touch(): void {
    isTouched = true;
    if (isLooking || isPlanned) return;
    const wait = notBefore - performance.now();
    if (wait < -gap) gap = gapMs;
    isPlanned = true;
    setTimeout(() => void run(), Math.max(0, wait));
  }
  return { touch };
}
