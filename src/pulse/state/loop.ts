// What every station of the loop has: the room and the ports, the turns that run, timers, and what the loop has to look at: paths that
// something happened to, and tasks that something asks for. Whoever wants a look pushes a key, from wherever it is; the one station that
// takes the keys names itself once. Nobody calls upward. The room is idle when both sets of keys are empty, nothing runs, and no timer of
// work waits.
import { StopTurn } from '../../agents/runner.ts';
import { createKnownChores } from '../../chores/chores.ts';
import type { RoomError } from '../../core/errors.ts';
import type { TaskId, ThreadId } from '../../core/ids.ts';
import type { DispatchEvent, RunningTurn } from '../../core/rules/dispatch.ts';
import { capacityOf, dispatch, initialDispatch, nextCheckAt } from '../../core/rules/dispatch.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import type { Effects, Timer } from '../../effects.ts';
import { runScanGently } from '../../store/files/scan.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import type { Observation } from '../../tasks/observe/observer.ts';
import type { HeardPaths } from '../../tasks/observe/room-files.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { PulseDependencies, PulseMode } from '../ports.ts';
import { createAgents, type TurnLimits } from './runnable-agents.ts';
import { createTimers, createWork, type Timers } from './work.ts';

export type Loop = ReturnType<typeof createLoop>;

interface Outside {
  /** Whether the room is still this process's: in another's nothing is acted on or started. */
  holdsRoom(): boolean;
  onIdle(): void;
  onTrouble(error: unknown): void;
  /** Trouble that lasts until it is noted as over (null). */
  note(about: string, trouble: RoomError | null): void;
}

export function createLoop(dependencies: PulseDependencies, mode: PulseMode, outside: Outside) {
  const { deps, runners } = dependencies;
  const { effects } = deps;
  const { onIdle: _, ...told } = outside;
  /** Until the whole room was taken in once, edits are gathered, and nothing is decided over them or started. */
  const firstScan = { isOver: false };
  const dirtyTasks = createDirtyTasks(firstScan);
  const work = createWork(effects, outside, dirtyTasks.keys);
  const agents = createAgents(deps, runners);
  const active = createActiveTurns(effects, agents.limits());
  return {
    ...{ ...dependencies, ...work, ...told, mode, agents, active, dirtyTasks, firstScan },
    known: createKnownChores(deps),
    dirtyPaths: createDirtyPaths(deps, work.newTimers(), { ...work, ...told }),
    /** Where an observation goes: the station that reacts puts itself here. `byTurn`: a turn read the file on its way, and its own edits
     * are not debounced. */
    observations: { push(_observation: Observation, _byTurn: boolean): void {} },
    /** What comes by time, and keeps no room from being idle. */
    timers: createTimers(effects, { ...told, keepsAlive: false }),
    /** How long a file must have been quiet, ms: edits are debounced by it. */
    quietMs: (): number => (mode.once || !firstScan.isOver ? 0 : deps.config().settleMs),
    /** The loop is being stopped: what can't be written now is left to the next start. */
    isStopping: active.isDraining,
  };
}

export interface TurnSlot {
  readonly signal: AbortSignal;
  output(bytes: number): void; // Total bytes of output so far.
  /** The agent has ended, and the turn's checks are run: from now on this signal says when they must stop. */
  checking(): AbortSignal;
  spends(): void; // It uses up its budgets, from now on or faster than before.
}

export function createActiveTurns(
  effects: Pick<Effects, 'monotonicMs' | 'setTimer'>,
  { limits, agentLimits, maxOutputBytes }: TurnLimits,
) {
  let state = initialDispatch(limits, agentLimits, maxOutputBytes);
  const controllers = new Map<ThreadId, AbortController>();
  let timer: Timer | null = null;

  /** Takes the event in, stops the turns that must stop, and waits for the next deadline. */
  function send(event: DispatchEvent): void {
    const result = dispatch(state, event, effects.monotonicMs());
    state = result.state;
    for (const { thread, reason } of result.commands) {
      const bytes = reason === 'output_limit' ? state.maxOutputBytes : null;
      controllers.get(thread)?.abort(new StopTurn(reason, bytes));
    }
    timer?.cancel();
    const at = nextCheckAt(state);
    if (at === null) return;
    const delayMs = Math.min(Math.max(at - effects.monotonicMs(), 1), 2 ** 31 - 1);
    timer = effects.setTimer(delayMs, () => send({ type: 'tick' }), true);
  }

  /** Returns the signal that stops the thread's turn from now on. */
  function begin(thread: ThreadId, event: DispatchEvent): AbortSignal {
    const controller = new AbortController();
    controllers.set(thread, controller);
    send(event);
    return controller.signal;
  }

  return {
    /** Counts a turn as running, until it is removed. */
    add: (thread: ThreadId, turn: RunningTurn): Omit<TurnSlot, 'spends'> => ({
      signal: begin(thread, { type: 'started', thread, turn }),
      output: (bytes) => send({ type: 'output', thread, bytes }),
      checking: () => begin(thread, { type: 'checking', thread }),
    }),
    remove(thread: ThreadId): void {
      controllers.delete(thread);
      send({ type: 'ended', thread });
    },
    stop: (thread: ThreadId, reason: TurnReason): void => send({ type: 'stop', thread, reason }),
    stopAll(reason: TurnReason): void {
      for (const thread of state.running.keys()) send({ type: 'stop', thread, reason });
    },
    windDown: (thread: ThreadId, graceMs: number): void => send({ type: 'wind_down', thread, graceMs }),
    configure: (next: TurnLimits): void => send({ type: 'configured', ...next }),
    drain: (): void => send({ type: 'drain' }),
    isDraining: (): boolean => state.draining,
    get running(): ReadonlyMap<ThreadId, RunningTurn> {
      return state.running;
    },
    capacity: () => capacityOf(state),
  };
}

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
  const { push, whileHeld, rounds, recent } = createPathRounds(during, async (path) => {
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
    ...{ stamps, timers, push, pushLater, retry, whileHeld, recent },
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
  const recent = createRecentPaths();

  /** Takes the path in; resolves when nothing happened to it meanwhile. Never rejects. */
  function push(path: string): Promise<void> {
    recent.note(path);
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

  return { push, whileHeld, rounds, recent };
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
  const keys = new Map<TaskId, Set<Why>>();
  let take: (keys: DirtyTasks) => void = () => {};

  function takeAll(): DirtyTasks {
    const taken = new Map(keys);
    keys.clear();
    return taken;
  }

  return {
    takeAll,
    keys: keys as ReadonlyMap<TaskId, unknown>,
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
  };
}

const MOST_RECENT = 2_000;

/** The latest paths of which something was heard, counted from the start: who keeps what files say reads those again. */
export function createRecentPaths(): HeardPaths & { note(path: string): void } {
  let paths: string[] = [];
  let dropped = 0;
  return {
    note(path) {
      paths.push(path);
      if (paths.length < 2 * MOST_RECENT) return;
      dropped += MOST_RECENT;
      paths = paths.slice(MOST_RECENT);
    },
    count: () => dropped + paths.length,
    since: (count) => (count < dropped ? null : paths.slice(count - dropped)),
  };
}
