// Commits that several share: what is asked for in one turn of the event loop runs in one transaction, so that the
// disk is waited for once. Each has a savepoint of its own: one that throws takes back its own changes alone.
import type { Database } from './database.ts';

export interface SharedCommit {
  /**
   * Runs `body` in the next shared transaction; resolves with its value once that is on disk. Rejects with what
   * `body` throws, and with RoomError `locked` or `io` when the transaction fails; nothing of it then stands.
   */
  join<T>(body: () => T): Promise<T>;
  /** Commits what waits at once. */
  flush(): void;
}

interface Waiting {
  /** Runs inside the transaction and returns what to do when it is on disk. */
  run(): () => void;
  fail(error: unknown): void;
}

export function createSharedCommit(database: Database): SharedCommit {
  let waiting: Waiting[] = [];

  const exec = (sql: string) => void database.prepare(sql).run();

  function runApart<T>(
    body: () => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): () => void {
    exec('SAVEPOINT shared');
    let settle: () => void;
    try {
      const value = database.transaction(body);
      settle = () => resolve(value);
    } catch (error) {
      try {
        exec('ROLLBACK TO shared');
      } catch {
        // SQLite gave up the whole transaction (a full disk): it fails for all of them, with the cause.
        throw error;
      }
      settle = () => reject(error);
    }
    exec('RELEASE shared');
    return settle;
  }

  function flush(): void {
    const all = waiting;
    if (all.length === 0) return;
    waiting = [];
    let settle: (() => void)[];
    try {
      settle = database.transaction(() => all.map(({ run }) => run()));
    } catch (error) {
      for (const { fail } of all) fail(error);
      return;
    }
    for (const each of settle) each();
  }

  return {
    flush,
    join<T>(body: () => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({ run: () => runApart(body, resolve, reject), fail: reject });
      if (waiting.length === 1) setImmediate(flush);
      return promise;
    },
  };
}
