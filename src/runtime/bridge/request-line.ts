// Requests of one turn wait in one line, whichever way they came: each begins when the one before has its answer, and
// between two of them the rest of the runtime gets its moment.

export interface RequestLine {
  /** Runs when it is its turn; resolves or rejects as `run` does. */
  add<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Resolves when nothing is left in the line. */
  settled(): Promise<void>;
}

export function createRequestLine(): RequestLine {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(run) {
      const result = last.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(run);
      last = result.catch(() => undefined);
      return result;
    },
    async settled() {
      for (let seen: unknown = null; seen !== last; ) {
        seen = last;
        await last;
      }
    },
  };
}
