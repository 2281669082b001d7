// What is under way or waits a moment: timers by key (a path that is read again, the next rescan), one a key, the latest; work that is tried
// again while disk or ledger refuse; and whether the room is idle. What a timer's work throws is reported.
import type { Effects, Timer } from '../../effects.ts';

export type Timers = ReturnType<typeof createTimers>;

/** Laptops sleep and clocks are set: whatever waits for a time of day looks at the clock at least this often. */
export const LONGEST_WAIT_MS = 60_000;
/** Thousands of keys can be due in one turn of the event loop, which others wait for. */
const LONGEST_BURST_MS = 20;

interface TimersOptions {
  onTrouble(error: unknown): void;
  keepsAlive: boolean; // The process lives as long as one of them waits.
  onRun?(): void;
}

export function createTimers(effects: Pick<Effects, 'setTimer' | 'monotonicMs'>, options: TimersOptions) {
  const waiting = new Map<unknown, Timer>();
  const closing = new AbortController();
  let heldMs = 0;

  /** Runs the work, or leaves it for the next turn of the event loop when other work took its time in this one. */
  async function fire(key: unknown, timer: Timer, run: () => unknown): Promise<void> {
    if (waiting.get(key) !== timer) return;
    if (heldMs >= LONGEST_BURST_MS) return void setImmediate(() => fire(key, timer, run));
    waiting.delete(key);
    const began = effects.monotonicMs();
    const work = (async () => run())();
    const tookMs = effects.monotonicMs() - began;
    if (heldMs === 0 && tookMs > 0)
      setImmediate(() => {
        heldMs = 0;
      });
    heldMs += tookMs;
    await work.catch(options.onTrouble);
    options.onRun?.();
  }

  function cancel(key: unknown): void {
    waiting.get(key)?.cancel();
    waiting.delete(key);
  }

  return {
    cancel,
    waiting: waiting as ReadonlyMap<unknown, Timer>,
    closed: closing.signal as { readonly aborted: boolean },
    /** Does this after a while, in place of what waited on the key before. */
    set(key: unknown, delayMs: number, run: () => unknown): void {
      cancel(key);
      if (closing.signal.aborted) return;
      const timer = effects.setTimer(delayMs, () => void fire(key, timer, run), !options.keepsAlive);
      waiting.set(key, timer);
    },
    close(): void {
      closing.abort();
      for (const key of [...waiting.keys()]) cancel(key);
    },
  };
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** What is under way is counted, so that the room is known to be idle, and tried again later and later where disk or ledger refuse. */
export function createWork(
  effects: Pick<Effects, 'setTimer' | 'monotonicMs'>,
  { onTrouble, onIdle }: { onTrouble(error: unknown): void; onIdle(): void },
  dirtyTasks: ReadonlyMap<unknown, unknown>,
) {
  const counted: Timers[] = [];
  const retries = newTimers();
  let underWay = 0;

  /** Timers of what is under way and waits a moment: no room is idle while one of them waits. */
  function newTimers(): Timers {
    const timers = createTimers(effects, { onTrouble, keepsAlive: true, onRun: () => idle.checkIdle() });
    counted.push(timers);
    return timers;
  }

  const keep = createKeep(retries, onTrouble);
  const idle = createIdleWatch(keep, onIdle);
  return {
    ...{ ...idle, newTimers, keep },
    /** Runs what no room is idle during. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        idle.checkIdle();
      }
    },
    isUnderWay: (): boolean =>
      underWay > 0 || dirtyTasks.size > 0 || counted.some(({ waiting }) => waiting.size > 0),
    closeWork: (): void => counted.forEach((timers) => void timers.close()), // Nothing is tried again.
  };
}

/** Makes of work what does it now, and again after growing waits while it throws; that never throws. */
function createKeep(retries: Timers, onTrouble: (error: unknown) => void) {
  return (work: () => void): (() => void) => {
    let failures = 0;
    return function attempt(): void {
      retries.cancel(attempt);
      if (retries.closed.aborted) return;
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

function createIdleWatch(keep: (work: () => void) => () => void, onIdle: () => void) {
  let isIdle = () => false;
  let isTold = false;
  let isPlanned = false;
  let isStopped = false;

  const look = keep(() => {
    isPlanned = false;
    if (isStopped || isTold || !isIdle()) return;
    isTold = true;
    onIdle();
  });

  /** Something happened: looks whether the room is idle, at the end of this turn of the event loop. */
  function checkIdle(): void {
    if (isPlanned || isStopped) return;
    isPlanned = true;
    setImmediate(look);
  }

  return {
    checkIdle,
    /** From now on a room is idle while this is true; before, none is. */
    watchIdle(condition: () => boolean): void {
      isIdle = condition;
      checkIdle();
    },
    /** There is something to do again: the room is reported idle once more when it is after that. */
    busyAgain(): void {
      isTold = false;
      checkIdle();
    },
    stopIdleWatch(): void {
      isStopped = true;
    },
  };
}
