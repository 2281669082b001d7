// Effects whose clock and timers move by hand alone.
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';

interface Waiting {
  dueAt: number;
  run: () => void;
}

export interface HandEffects extends Effects {
  pass(ms: number): void;
  /** Waits until something waits for a timer, then lets its time come. */
  passNext(): Promise<void>;
}

export function createHandEffects(env: Record<string, string>): HandEffects {
  let clock = 0;
  const waiting = new Set<Waiting>();
  let wake: (() => void) | null = null;

  function pass(ms: number): void {
    clock += ms;
    for (const timer of [...waiting]) {
      if (timer.dueAt > clock) continue;
      waiting.delete(timer);
      timer.run();
    }
  }

  return {
    ...createNodeEffects({}),
    now: () => clock,
    monotonicMs: () => clock,
    setTimer(delayMs, run) {
      const timer = { dueAt: clock + delayMs, run };
      waiting.add(timer);
      wake?.();
      return { cancel: () => void waiting.delete(timer) };
    },
    env,
    pass,
    async passNext() {
      if (waiting.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      wake = null;
      pass(Math.min(...[...waiting].map(({ dueAt }) => dueAt)) - clock);
    },
  };
}
