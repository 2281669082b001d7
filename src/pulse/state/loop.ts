// What every station of the loop has: the room and the ports, the keys that wait to be looked at, the turns that run, timers, and the one
// measure of whether the room is idle: both sets of keys are empty, nothing runs, and no timer of work waits.
import { StopTurn } from '../../agents/runner.ts';
import { createKnownChores } from '../../chores/chores.ts';
import type { RoomError } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { DispatchEvent, RunningTurn } from '../../core/rules/dispatch.ts';
import { capacityOf, dispatch, initialDispatch, nextCheckAt } from '../../core/rules/dispatch.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { PulseDependencies, PulseMode } from '../ports.ts';
import { createDirtyPaths, createDirtyTasks, createObservations } from './dirty-keys.ts';
import { createAgents, type TurnLimits } from './runnable-agents.ts';
import { createTimers, type Timers } from './timers.ts';

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
  const work = createWork(effects, outside, dirtyTasks.isEmpty);
  const agents = createAgents(deps, runners);
  const active = createActiveTurns(effects, agents.limits());
  return {
    ...{ ...dependencies, ...work, ...told, mode, agents, active, dirtyTasks, firstScan },
    known: createKnownChores(deps),
    dirtyPaths: createDirtyPaths(deps, work.newTimers(), { ...work, ...told }),
    observations: createObservations(),
    /** What comes by time, and keeps no room from being idle. */
    timers: createTimers(effects, { ...told, keepsAlive: false }),
    /** How long a file must have been quiet, ms: edits are debounced by it. */
    quietMs: (): number => (mode.once || !firstScan.isOver ? 0 : deps.config().settleMs),
    /** The loop is being stopped: what can't be written now is left to the next start. */
    isStopping: active.isDraining,
  };
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** What is under way is counted, so that the room is known to be idle, and tried again later and later where disk or ledger refuse. */
function createWork(
  effects: Pick<Effects, 'setTimer' | 'monotonicMs'>,
  { onTrouble, onIdle }: Outside,
  hasNoKeys: () => boolean,
) {
  const counted: Timers[] = [];
  const retries = newTimers();
  let underWay = 0;

  /** Timers of what is under way and waits a moment: no room is idle while one of them waits. */
  function newTimers(): Timers {
    const timers = createTimers(effects, { onTrouble, keepsAlive: true, onRun: () => idle.checkIdle() });
    counted.push(timers);
    return timers;
  }

  const keep = createKeep(retries, onTrouble);
  const idle = createIdleWatch(keep, onIdle);
  return {
    ...{ ...idle, newTimers, keep },
    /** Runs what no room is idle during. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        idle.checkIdle();
      }
    },
    isUnderWay: (): boolean =>
      underWay > 0 || !hasNoKeys() || counted.some(({ waiting }) => waiting.size > 0),
    closeWork: (): void => counted.forEach((timers) => void timers.close()), // Nothing is tried again.
  };
}

/** Makes of work what does it now, and again after growing waits while it throws; that never throws. */
function createKeep(retries: Timers, onTrouble: (error: unknown) => void) {
  return (work: () => void): (() => void) => {
    let failures = 0;
    return function attempt(): void {
      retries.cancel(attempt);
      if (retries.closed.aborted) return;
      try {
        work();
        failures = 0;
      } catch (error) {
        onTrouble(error);
        retries.set(attempt, Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS), attempt);
        failures += 1;
      }
    };
  };
}

function createIdleWatch(keep: (work: () => void) => () => void, onIdle: () => void) {
  let isIdle = () => false;
  let isTold = false;
  let isPlanned = false;
  let isStopped = false;

  const look = keep(() => {
    isPlanned = false;
    if (isStopped || isTold || !isIdle()) return;
    isTold = true;
    onIdle();
  });

  /** Something happened: looks whether the room is idle, at the end of this turn of the event loop. */
  function checkIdle(): void {
    if (isPlanned || isStopped) return;
    isPlanned = true;
    setImmediate(look);
  }

  return {
    checkIdle,
    /** From now on a room is idle while this is true; before, none is. */
    watchIdle(condition: () => boolean): void {
      isIdle = condition;
      checkIdle();
    },
    /** There is something to do again: the room is reported idle once more when it is after that. */
    busyAgain(): void {
      isTold = false;
      checkIdle();
    },
    stopIdleWatch(): void {
      isStopped = true;
    },
  };
}
