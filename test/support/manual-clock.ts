// Effects whose time moves only when a test says so; everything else is real. Timers go off in the order of their time,
// each at its own.
import { setImmediate } from 'node:timers/promises';
import type { Timer } from '../../src/effects.ts';
import { createNodeEffects } from '../../src/node.ts';

export type ManualClock = ReturnType<typeof createManualClock>;

export interface ManualClockOptions {
  /** What the wall clock says at first. */
  startMs?: number;
  env?: Readonly<Record<string, string | undefined>>;
}

interface Waiting extends Timer {
  atMs: number;
  run(): void;
}

export function createManualClock({
  startMs = 1_700_000_000_000,
  env = process.env,
}: ManualClockOptions = {}) {
  let wallMs = startMs;
  let elapsedMs = 0;
  const timers = new Set<Waiting>();
  let onTimer: (() => void) | null = null;

  /** Moves to the next timer that is due by `endMs`, or to that time where there is none. */
  function step(endMs: number): Waiting | null {
    const [next = null] = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
    const ms = Math.max(0, (next?.atMs ?? endMs) - elapsedMs);
    wallMs += ms;
    elapsedMs += ms;
    next?.cancel();
    return next;
  }

  const clock = {
    ...createNodeEffects(env),
    now: () => wallMs,
    monotonicMs: () => elapsedMs,
    setTimer(delayMs: number, run: () => void): Timer {
      const timer: Waiting = { atMs: elapsedMs + delayMs, run, cancel: () => void timers.delete(timer) };
      timers.add(timer);
      onTimer?.();
      return timer;
    },
    /** Moves the time on, and lets the timers go off that are due by then. */
    advance(ms: number): void {
      const endMs = elapsedMs + ms;
      for (let due = step(endMs); due !== null; due = step(endMs)) due.run();
    },
    /** The same, with what each timer began gone as far as it can before the next one. */
    async advanceGently(ms: number): Promise<void> {
      const endMs = elapsedMs + ms;
      for (let due = step(endMs); due !== null; due = step(endMs)) {
        due.run();
        await settle();
      }
      await settle();
    },
    /** Waits until something waits for a timer, then lets its time come. */
    async advanceToNext(): Promise<void> {
      if (timers.size === 0) await new Promise<void>((resolve) => (onTimer = resolve));
      onTimer = null;
      clock.advance(Math.min(...[...timers].map(({ atMs }) => atMs)) - elapsedMs);
    },
    /** Sets the wall clock alone, as a person does. */
    setWallClock(ms: number): void {
      wallMs = ms;
    },
    /** Timers that are set by now go off so much later. */
    beLate(ms: number): void {
      for (const timer of timers) timer.atMs += ms;
    },
    /** Drops every timer: what set them is dead. */
    dropTimers: (): void => timers.clear(),
  };
  return clock;
}

/** Lets everything that waits for nothing but the event loop go on. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await setImmediate();
}
