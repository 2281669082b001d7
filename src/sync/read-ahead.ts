// Pages asked for ahead: while some are dealt with, the next are on their way. They are handed on as many at a time as
// have come, so that a fast tracker's pages are recorded together and a slow one's at once. What goes wrong with a page
// is told when its turn comes, after all before it.

// Held in memory at most, and asked for in vain at most when the caller leaves early.
const AHEAD = 4;

/** @returns at least one page at a time, in their order. Throws what the pages throw, after all before it. */
export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = pages[Symbol.asyncIterator]();
  let waiting: T[] = [];
  let end: { error?: unknown } | null = null;
  let asking: Promise<void> | null = null;
  let wake = (): void => undefined;

  const ask = async (): Promise<void> => {
    while (end === null && waiting.length < AHEAD) {
      try {
        const { done, value } = await iterator.next();
        if (done) end ??= {};
        else waiting.push(value);
      } catch (error) {
        end ??= { error };
      }
      wake();
    }
    asking = null;
  };
  const askOn = (): void => {
    if (asking === null && end === null && waiting.length < AHEAD) asking = ask();
  };
  const come = async (): Promise<readonly T[]> => {
    askOn();
    while (waiting.length === 0 && end === null)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    const ready = waiting;
    waiting = [];
    askOn();
    return ready;
  };

  try {
    for (let ready = await come(); ready.length > 0; ready = await come()) yield ready;
    if (end !== null && 'error' in end) throw (end as { error: unknown }).error;
  } finally {
    // Left early: a page that is on its way ends first.
    end ??= {};
    await asking;
    await iterator.return?.();
  }
}
