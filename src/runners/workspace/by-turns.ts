// One piece of work at a time for each key: git's records of worktrees are read while others are written.

/** Runs `work` when all that was given for the same key before has ended. */
export type ByTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createByTurns(): ByTurns {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return mine;
  };
}
