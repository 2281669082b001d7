// One path is taken in once at a time; a hint that comes meanwhile makes it look again. What goes wrong outside is told,
// and the path looked at again later.
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import type { IdleWatch } from '../idle-watch.ts';
import type { KeyedTimers } from '../keyed-timers.ts';

export interface PathQueueOptions {
  timers: KeyedTimers;
  /** What each file looked like when it was taken in last. */
  stamps: Map<string, FileStamp>;
  idle: Pick<IdleWatch, 'check'>;
  /** Takes in what stands at the path now. */
  takeIn(path: string): Promise<void>;
  onTrouble(error: unknown, path: string): void;
}

export interface PathQueue {
  /** Something happened to this path. */
  hint(path: string): void;
  /** Takes the path in; resolves when nothing happened to it meanwhile. */
  look(path: string): Promise<void>;
  /** Looks at the path again after a while. */
  lookLater(path: string, delayMs: number): void;
  /** Tells of what went wrong, and tries again later. */
  tryAgain(path: string, error: unknown): void;
  /** Paths that are being taken in, or wait for their time. */
  busyPaths(): string[];
  /** How many paths are being taken in. */
  countUnread(): number;
  isEmpty(): boolean;
  isClosed(): boolean;
  close(): void;
}

interface Round {
  again: boolean;
  done: Promise<void>;
}

const TROUBLE_RETRY_MS = 2_000;

export function createPathQueue({ timers, stamps, idle, takeIn, onTrouble }: PathQueueOptions): PathQueue {
  const running = new Map<string, Round>();
  let closed = false;

  function look(path: string): Promise<void> {
    const current = running.get(path);
    if (current) {
      current.again = true;
      return current.done;
    }
    const round = { again: false, done: Promise.resolve() };
    running.set(path, round);
    round.done = takeInUntilCalm(path, round);
    return round.done;
  }

  async function takeInUntilCalm(path: string, round: Round): Promise<void> {
    try {
      do {
        round.again = false;
        if (!closed) await takeIn(path);
      } while (round.again && !closed);
    } catch (error) {
      stamps.delete(path);
      tryAgain(path, error);
    } finally {
      running.delete(path);
      idle.check();
    }
  }

  function hint(path: string): void {
    if (!closed) void look(path);
  }

  function lookLater(path: string, delayMs: number): void {
    timers.set(path, delayMs, () => hint(path));
  }

  function tryAgain(path: string, error: unknown): void {
    lookLater(path, TROUBLE_RETRY_MS);
    onTrouble(error, path);
  }

  return {
    hint,
    look,
    lookLater,
    tryAgain,
    busyPaths: () => [...running.keys(), ...timers.keys()],
    countUnread: () => running.size,
    isEmpty: () => running.size === 0 && timers.count() === 0,
    isClosed: () => closed,
    close() {
      closed = true;
      timers.close();
    },
  };
}
