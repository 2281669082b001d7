// Runs pieces of work with the same key one after another, in the order of the calls; different keys don't wait for each other.

export type KeyedMutex = ReturnType<typeof createKeyedMutex>;

export function createKeyedMutex() {
  const tails = new Map<string, Promise<unknown>>();
  return {
    /** Runs `work` when all that was given for the same key before has ended; resolves or rejects as it does. */
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const result = (tails.get(key) ?? Promise.resolve()).then(work, work);
      const end = () => void (tails.get(key) === tail && tails.delete(key));
      const tail: Promise<unknown> = result.then(end, end);
      tails.set(key, tail);
      return result;
    },
    async settled(): Promise<void> {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}

export type SerialQueue = ReturnType<typeof createSerialQueue>;

/** Runs pieces of work one after another. */
export function createSerialQueue() {
  const { run, settled } = createKeyedMutex();
  return { add: <T>(work: () => Promise<T>): Promise<T> => run('', work), settled };
}

/** Runs `work` once at a time: all that ask during a run share the next one, which begins when that run is over. */
export function createRounds<T>(work: () => Promise<T>) {
  let current: Promise<unknown> | null = null;
  let next: Promise<T> | null = null;
  function start(): Promise<T> {
    next = null;
    const run = work();
    const end = () => {
      current = null;
    };
    current = run.then(end, end);
    return run;
  }
  return {
    /** Resolves with what a run came to that began after this call. */
    ask(): Promise<T> {
      if (current === null) return next ?? start();
      next ??= current.then(start);
      return next;
    },
    /** Resolves when nothing runs and nothing was asked for. */
    async settled(): Promise<void> {
      while (current !== null || next !== null) await Promise.allSettled([current, next]);
    },
  };
}
