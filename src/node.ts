// The one real implementation of Effects.
import type { Effects } from './effects.ts';

/** Effects of this process: the system clock, timers, CSPRNG and environment. */
export function createNodeEffects(env: NodeJS.ProcessEnv = process.env): Effects {
  return {
    now: () => Date.now(),
    monotonicMs,
    setTimer(delayMs, run, background = false) {
      const timer = setTimeout(run, delayMs);
      if (background) timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
    randomBytes: createRandomBytes(),
    fetch: (input, init) => fetch(input, init),
    env,
    withheld: new Set(),
  };
}

// As performance.now(), which small commands would have to load.
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

const POOL_BYTES = 4096; // Asking the system costs the same for 8 bytes as for these.

/** Each byte is handed out once. */
function createRandomBytes(): (size: number) => Uint8Array {
  let pool = new Uint8Array(0);
  return (size) => {
    // Loaded when first used: it takes a tenth of a small command's start.
    if (pool.length < size)
      pool = process.getBuiltinModule('node:crypto').randomBytes(Math.max(size, POOL_BYTES));
    const bytes = pool.subarray(0, size);
    pool = pool.subarray(size);
    return bytes;
  };
}
