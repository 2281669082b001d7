// What the loop has to look at: paths that something happened to, and tasks that something asks for. Whoever wants a look
// pushes a key, from wherever it is; the one station that takes the keys names itself once. Nobody calls upward.
import type { TaskId } from '../../core/ids.ts';
import { runScanGently } from '../../store/files/scan.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import type { Observation } from '../../tasks/observe/observer.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Timers } from './timers.ts';

const TROUBLE_RETRY_MS = 2_000;

/** One reading of a path, and those that are asked for meanwhile. */
type Round = { again: boolean; done: Promise<void> };

/** @param timers of work: the room is not idle while one of them waits. Once they are closed nothing is taken in
 * @param during counts as work until it resolves */
export function createDirtyPaths(
  deps: TaskRoom,
  timers: Timers,
  { during, onTrouble }: { during<T>(work: () => Promise<T>): Promise<T>; onTrouble(error: unknown): void },
) {
  /** What each file looked like when it was taken in last. */
  const stamps: Map<string, FileStamp> = deps.ledger.files.stamps();
  let station: (path: string) => Promise<void> = async () => {};
  const { push, whileHeld, rounds } = createPathRounds(during, async (path) => {
    try {
      if (!timers.closed.aborted) await station(path);
    } catch (error) {
      stamps.delete(path);
      retry(path, error);
    }
  });

  function pushLater(path: string, delayMs: number): void {
    timers.set(path, delayMs, () => void push(path));
  }

  function retry(path: string, error: unknown): void {
    pushLater(path, TROUBLE_RETRY_MS);
    onTrouble(error);
  }

  return {
    ...{ stamps, timers, push, pushLater, retry, whileHeld },
    unread: rounds as ReadonlyMap<string, unknown>, // Paths that are being read, or wait for it.
    expected: new Set<string>(), // Files that are about to become tasks: edits made with them wait for them.
    takenBy(taker: typeof station): void {
      station = taker;
    },
    /** Takes in what the task's file says now; resolves when that is done. */
    async pushTask(id: TaskId): Promise<void> {
      const path = deps.ledger.tasks.get(id)?.path ?? null;
      if (path !== null) await push(path);
    },
    /** Compares everything with the disk; each path that differs is pushed when this resolves. */
    async pushChanged(): Promise<void> {
      const { changed } = await runScanGently(deps.room, stamps);
      for (const { path } of changed) void push(path);
    },
  };
}

/** A path is taken in once at a time; a push that comes meanwhile makes it look again. @param takeIn never rejects */
function createPathRounds(
  during: (work: () => Promise<void>) => Promise<void>,
  takeIn: (path: string) => Promise<void>,
) {
  const rounds = new Map<string, Round>();

  /** Takes the path in; resolves when nothing happened to it meanwhile. Never rejects. */
  function push(path: string): Promise<void> {
    const current = rounds.get(path);
    if (current !== undefined) {
      current.again = true;
      return current.done;
    }
    const round: Round = { again: true, done: Promise.resolve() };
    rounds.set(path, round);
    round.done = during(() => takeInUntilCalm(path, round));
    return round.done;
  }

  async function takeInUntilCalm(path: string, round: Round): Promise<void> {
    while (round.again) {
      round.again = false;
      await takeIn(path);
    }
    rounds.delete(path);
  }

  /** Writes the path while nobody takes it in; what happened to it meanwhile is taken in after that. */
  async function whileHeld<T>(path: string, write: () => Promise<T>): Promise<T> {
    for (let other = rounds.get(path); other !== undefined; other = rounds.get(path)) await other.done;
    const round: Round = { again: false, done: Promise.resolve() };
    rounds.set(path, round);
    const written = write();
    round.done = Promise.allSettled([written]).then(() => takeInUntilCalm(path, round));
    return written;
  }

  return { push, whileHeld, rounds };
}

/** Why a task is to be decided over. */
type Why =
  | 'look' // something that decides over it may have changed
  | 'edited' // its input changed: once it is quiet
  | 'asked' // somebody wants it now
  | 'no_turn'; // its request came to nothing

export type DirtyTasks = ReadonlyMap<TaskId, ReadonlySet<Why>>;

/** Tasks to decide over, each once however often it was pushed: taken together at the end of the current step. */
export function createDirtyTasks(firstScan: { isOver: boolean }) {
  let keys = new Map<TaskId, Set<Why>>();
  let take: (keys: DirtyTasks) => void = () => {};

  function takeAll(): DirtyTasks {
    const taken = keys;
    keys = new Map();
    return taken;
  }

  return {
    takeAll,
    editedInside: new Set<TaskId>(), // Tasks whose input changed last while their own turn ran.
    takenBy(station: typeof take): void {
      take = station;
    },
    /** Until the first scan is over edits are gathered; nothing else counts, since all tasks are decided over after it. */
    push(id: TaskId, why: Why = 'look'): void {
      if (!firstScan.isOver && why !== 'edited') return;
      if (keys.size === 0 && firstScan.isOver) queueMicrotask(() => take(takeAll()));
      const whys = keys.get(id) ?? new Set();
      keys.set(id, whys.add(why));
    },
    isEmpty: (): boolean => keys.size === 0,
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
    push: (observation: Observation, byTurn: boolean): void => take(observation, byTurn),
  };
}
