// What every station of the loop has: the room and the ports, the keys that wait to be looked at, the turns that run, timers,
// and the one measure of whether the room is idle: both sets of keys are empty, nothing runs, and no timer of work waits.
import { createKnownChores } from '../../chores/chores.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { PulseDependencies, PulseMode } from '../ports.ts';
import { createActiveTurns } from './active-turns.ts';
import { createDirtyPaths, createDirtyTasks, createObservations } from './dirty-keys.ts';
import { createAgents } from './runnable-agents.ts';
import { createTimers, type Timers } from './timers.ts';

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
    /** Nothing is tried again. */
    closeWork: (): void => counted.forEach((timers) => void timers.close()),
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
