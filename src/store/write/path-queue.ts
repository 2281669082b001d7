// Jobs on files, one at a time for each path and in the order they were asked for; different paths don't wait for each other.

export function createPathQueue() {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run<T>(path: string, job: () => Promise<T>): Promise<T> {
      const result = (tails.get(path) ?? Promise.resolve()).then(job, job);
      const tail = result.then(noop, noop).then(() => {
        if (tails.get(path) === tail) tails.delete(path);
      });
      tails.set(path, tail);
      return result;
    },
    /** Waits for all that is under way. */
    async close() {
      await Promise.all(tails.values());
    },
  };
}

function noop(): void {}
