// The one real implementation of Effects.
import type { Effects } from './effects.ts';

/** Effects of this process: the system clock, timers, CSPRNG and environment. */
export function createNodeEffects(env: NodeJS.ProcessEnv = process.env): Effects {
  return {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    setTimer(delayMs, run, background = false) {
      const timer = setTimeout(run, delayMs);
      if (background) timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
    // Loaded when first used: it takes a tenth of a small command's start.
    randomBytes: (size) => process.getBuiltinModule('node:crypto').randomBytes(size),
    fetch: (input, init) => fetch(input, init),
    env,
  };
}
