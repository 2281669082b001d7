// Requests of one turn wait in one line, whichever way they came: each begins when the one before has its answer, and
// between two of them the rest of the runtime gets its moment.

export type RequestLine = ReturnType<typeof createRequestLine>;

export function createRequestLine() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Runs when it is its turn; resolves or rejects as `run` does. */
    add<Result>(run: () => Promise<Result>) {
      const result = last.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(run);
      last = result.catch(() => undefined);
      return result;
    },
    /** Resolves when nothing is left in the line. */
    async settled() {
      for (let seen: unknown = null; seen !== last; ) {
        seen = last;
        await last;
      }
    },
  };
}
