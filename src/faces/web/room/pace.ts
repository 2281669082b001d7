// Looking again, but not all the time: at once when something was touched, then not sooner than the last look was long ago.

export interface Paced {
  /** Something was touched: looks now, or as soon as it may. */
  touch(): void;
  stop(): void;
}

/**
 * @param look is never run twice at once; a touch meanwhile runs it once more
 * @param gapMs least time between two looks; a look that took long makes it longer
 */
export function createPaced(look: () => Promise<void>, gapMs: number): Paced {
  let isLooking = false;
  let isTouched = false;
  let notBefore = 0;
  let timer: number | undefined;
  let isStopped = false;

  async function run(): Promise<void> {
    timer = undefined;
    isLooking = true;
    isTouched = false;
    const began = performance.now();
    try {
      await look();
    } finally {
      isLooking = false;
      const now = performance.now();
      notBefore = now + Math.max(gapMs, 4 * (now - began));
      if (isTouched) plan();
    }
  }
  function plan(): void {
    isTouched = true;
    if (isLooking || timer !== undefined || isStopped) return;
    timer = window.setTimeout(() => void run(), Math.max(0, notBefore - performance.now()));
  }
  return {
    touch: plan,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
