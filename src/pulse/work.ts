// What is under way in the loop: it is counted, so that the room is known to be idle when nothing is, and tried again later and
// later where disk or ledger refuse.
import type { Effects } from '../effects.ts';
import { createTimers, type Timers } from './timers.ts';

interface WorkOptions {
  effects: Pick<Effects, 'setTimer' | 'monotonicMs'>;
  onTrouble(error: unknown): void;
  onIdle(): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;

export function createWork({ effects, onTrouble, onIdle }: WorkOptions) {
  const counted: Timers[] = [];
  const retries = newTimers();
  const keep = createKeep(retries, onTrouble);
  const look = keep(() => {
    planned = false;
    if (isStopped || told || !isIdle()) return;
    told = true;
    onIdle();
  });
  let underWay = 0;
  let isIdle = () => false;
  let told = false;
  let planned = false;
  let isStopped = false;

  /** Timers of what is under way and waits a moment: no room is idle while one of them waits. */
  function newTimers(): Timers {
    const timers = createTimers(effects, { onTrouble, keepsAlive: true, onRun: checkIdle });
    counted.push(timers);
    return timers;
  }
  /** Something happened: looks whether the room is idle, at the end of this turn of the event loop. */
  function checkIdle(): void {
    if (planned || isStopped) return;
    planned = true;
    setImmediate(look);
  }

  return {
    ...{ newTimers, keep, checkIdle },
    /** Runs what no room is idle during. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        checkIdle();
      }
    },
    isUnderWay: (): boolean => underWay > 0 || counted.some((timers) => timers.count() > 0),
    /** From now on a room is idle while this is true; before, none is. */
    watchIdle(condition: () => boolean): void {
      isIdle = condition;
      checkIdle();
    },
    /** There is something to do again: it is told anew when the room is idle after that. */
    busyAgain(): void {
      told = false;
    },
    /** From now on nobody is told that the room is idle. */
    stopIdleWatch(): void {
      isStopped = true;
    },
    /** Nothing is tried again. */
    closeWork: (): void => counted.forEach((timers) => void timers.close()),
  };
}

/** @returns makes of `work` what does it now, and again after growing waits while it throws; that never throws */
function createKeep(retries: Timers, onTrouble: (error: unknown) => void) {
  return (work: () => void): (() => void) => {
    let failures = 0;
    return function attempt(): void {
      retries.cancel(attempt);
      if (retries.isClosed()) return;
      try {
        work();
        failures = 0;
      } catch (error) {
        onTrouble(error);
        retries.set(attempt, Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS), attempt);
        failures += 1;
      }
    };
  };
}
