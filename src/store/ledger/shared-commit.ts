// Commits that several share: what is asked for in one turn of the event loop runs in one transaction, so that the
// disk is waited for once. Each has a savepoint of its own: one that throws takes back its own changes alone.
import { isRoomError } from '../../core/errors.ts';
import type { Database } from './database.ts';

type SharedCommit = ReturnType<typeof createSharedCommit>;

interface Waiting {
  /** Runs inside the transaction and returns what to do when that is on disk. */
  run(): () => void;
  fail(error: unknown): void;
}

/** The one of that database: all who ask for it share their commits. */
export function sharedCommitOf(database: Database): SharedCommit {
  const known = shared.get(database) ?? createSharedCommit(database);
  shared.set(database, known);
  return known;
}

const shared = new WeakMap<Database, SharedCommit>();

// The event loop stands still for no longer than this at a time while another process has the ledger.
const TRY_MS = 4;

function createSharedCommit(database: Database) {
  let waiting: Waiting[] = [];
  let waitedMs = 0;

  function flush(waitMs?: number): void {
    const all = waiting;
    if (all.length === 0) return;
    waiting = [];
    let settle: (() => void)[];
    try {
      settle = database.transaction(() => runAll(database, all), waitMs);
    } catch (error) {
      // Nothing of it has run: who comes meanwhile joins the next try.
      if (waitMs !== undefined && isRoomError(error, 'locked') && waitedMs < database.busyMs) {
        waitedMs += waitMs;
        waiting = [...all, ...waiting];
        flushSoon();
        return;
      }
      waitedMs = 0;
      for (const { fail } of all) fail(error);
      return;
    }
    waitedMs = 0;
    for (const each of settle) each();
  }

  const flushSoon = (): void => void setImmediate(() => flush(TRY_MS));

  return {
    /** Commits what waits at once. */
    flush: () => flush(),
    /**
     * Runs `body` in the next shared transaction; resolves with its value once that is on disk. Rejects with what
     * `body` throws, and with RoomError `locked` or `io` when the transaction fails; nothing of it then stands.
     */
    join<T>(body: () => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const run = (): (() => void) => {
        const value = database.transaction(body);
        return () => resolve(value);
      };
      waiting.push({ run, fail: reject });
      if (waiting.length === 1) flushSoon();
      return promise;
    },
  };
}

/** Runs them in the transaction that is open; returns what to do when it is on disk. */
function runAll(database: Database, all: readonly Waiting[]): (() => void)[] {
  // One alone takes back the whole when it throws.
  return all.length === 1 ? [all[0]!.run()] : all.map((each) => runApart(database, each));
}

function runApart(database: Database, { run, fail }: Waiting): () => void {
  const exec = (sql: string): void => void database.prepare(sql).run();
  exec('SAVEPOINT shared');
  let settle: () => void;
  try {
    settle = run();
  } catch (error) {
    try {
      exec('ROLLBACK TO shared');
    } catch {
      // SQLite gave up the whole transaction (a full disk): it fails for all of them, with the cause.
      throw error;
    }
    settle = () => fail(error);
  }
  exec('RELEASE shared');
  return settle;
}
