// What the loop has to look at: paths that something happened to, and tasks that something asks for. Whoever wants a look
// pushes a key, from wherever it is; the one station that takes the keys names itself once. Nobody calls upward.
import type { TaskId } from '../core/ids.ts';
import { runScanGently } from '../store/files/scan.ts';
import type { FileStamp } from '../store/ledger/tasks/files.ts';
import type { Observation } from '../tasks/observe/observer.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { Timers } from './timers.ts';

const TROUBLE_RETRY_MS = 2_000;

/**
 * @param timers of work: the room is not idle while one of them waits. Once they are closed nothing is taken in
 * @param during counts as work until it resolves
 */
export function createDirtyPaths(
  deps: TaskRoom,
  timers: Timers,
  { during, onTrouble }: { during<T>(work: () => Promise<T>): Promise<T>; onTrouble(error: unknown): void },
) {
  /** What each file looked like when it was taken in last. */
  const stamps: Map<string, FileStamp> = deps.ledger.files.stamps();
  let takeIn: (path: string) => Promise<void> = async () => {};
  const rounds = createPathRounds((path) => during(() => takeInNow(path)), timers);

  async function takeInNow(path: string): Promise<void> {
    try {
      await takeIn(path);
    } catch (error) {
      stamps.delete(path);
      retry(path, error);
    }
  }

  function push(path: string): void {
    void rounds.look(path);
  }

  function pushLater(path: string, delayMs: number): void {
    timers.set(path, delayMs, () => push(path));
  }

  /** Tells what went wrong, and looks at the path again later. */
  function retry(path: string, error: unknown): void {
    pushLater(path, TROUBLE_RETRY_MS);
    onTrouble(error);
  }

  return {
    ...{ stamps, timers, push, pushLater, retry, look: rounds.look, whileHeld: rounds.whileHeld },
    /** Files that are about to become tasks: edits made with them wait for them. */
    expected: new Set<string>(),
    takenBy(station: (path: string) => Promise<void>): void {
      takeIn = station;
    },
    /** Takes in what the task's file says now; resolves when that is done. */
    async lookAtTask(id: TaskId): Promise<void> {
      const path = deps.ledger.tasks.get(id)?.path ?? null;
      if (path !== null) await rounds.look(path);
    },
    /** Compares everything with the disk; each path that differs is pushed when this resolves. */
    async pushChanged(): Promise<void> {
      const { changed } = await runScanGently(deps.room, stamps);
      for (const { path } of changed) push(path);
    },
    /** Paths that are being taken in, or wait for their time. */
    busyPaths: (): string[] => [...rounds.running(), ...(timers.keys() as string[])],
    /** How many files are being read, or wait for it. */
    countUnread: (): number => rounds.running().length,
  };
}

/** A path is taken in once at a time; a push that comes meanwhile makes it look again. @param takeIn never rejects */
function createPathRounds(takeIn: (path: string) => Promise<void>, timers: Timers) {
  const rounds = new Map<string, { again: boolean; done: Promise<void> }>();

  /** Takes the path in; resolves when nothing happened to it meanwhile. */
  function look(path: string): Promise<void> {
    const current = rounds.get(path);
    if (current) {
      current.again = true;
      return current.done;
    }
    const round = { again: !timers.isClosed(), done: Promise.resolve() };
    rounds.set(path, round);
    round.done = takeInUntilCalm(path, round);
    return round.done;
  }

  async function takeInUntilCalm(path: string, round: { again: boolean }): Promise<void> {
    while (round.again && !timers.isClosed()) {
      round.again = false;
      await takeIn(path);
    }
    rounds.delete(path);
  }

  /** Does what writes the path while nobody takes it in; what happened to it meanwhile is looked at after that. */
  async function whileHeld<T>(path: string, write: () => Promise<T>): Promise<T> {
    for (let other = rounds.get(path); other !== undefined; other = rounds.get(path)) await other.done;
    const round = { again: false, done: Promise.resolve() };
    rounds.set(path, round);
    const written = write();
    const over = () => takeInUntilCalm(path, round);
    round.done = written.then(over, over);
    return written;
  }

  return { look, whileHeld, running: (): string[] => [...rounds.keys()] };
}

/** Tasks to decide about, each once however often it was pushed: taken together at the end of the current step. */
export function createDirtyTasks() {
  const ids = new Set<TaskId>();
  let take: (ids: TaskId[]) => void = () => {};
  function drain(): void {
    const batch = [...ids];
    ids.clear();
    take(batch);
  }
  return {
    takenBy(station: (ids: TaskId[]) => void): void {
      take = station;
    },
    push(id: TaskId): void {
      if (ids.size === 0) queueMicrotask(drain);
      ids.add(id);
    },
    isEmpty: (): boolean => ids.size === 0,
  };
}

/** What was observed, on its way to the one station that reacts. */
export function createObservations() {
  let take: (observation: Observation, byTurn: boolean) => void = () => {};
  return {
    takenBy(station: typeof take): void {
      take = station;
    },
    /** @param byTurn a turn read the file on its way: its own edits are not debounced */
    push(observation: Observation, byTurn: boolean): void {
      take(observation, byTurn);
    },
  };
}
