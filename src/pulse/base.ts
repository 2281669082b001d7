// What every station of the loop has: the room and the ports, the keys that wait to be looked at, the turns that run, timers,
// and the one measure of whether the room is idle.
import { createKnownChores } from '../chores/known-chores.ts';
import type { RoomError } from '../core/errors.ts';
import { createActiveTurns } from './active-turns.ts';
import { createDirtyPaths, createDirtyTasks, createObservations } from './dirty-keys.ts';
import type { PulseDependencies, PulseMode } from './ports.ts';
import { createAgents } from './runnable-agents.ts';
import { createTimers } from './timers.ts';
import { createWork } from './work.ts';

export type Base = ReturnType<typeof createBase>;

interface Outside {
  /** Whether the room is still this process's: in another's nothing is acted on or started. */
  holdsRoom(): boolean;
  /** Both sets of keys are empty, nothing runs, and no timer of work waits. */
  onIdle(): void;
  /** Tells of trouble that nobody waits for. */
  onTrouble(error: unknown): void;
  /** Trouble that lasts until it is noted as over (null). */
  note(about: string, trouble: RoomError | null): void;
}

export function createBase(dependencies: PulseDependencies, mode: PulseMode, outside: Outside) {
  const { deps, runners } = dependencies;
  const { effects } = deps;
  const { onTrouble } = outside;
  const work = createWork({ effects, ...outside });
  const agents = createAgents(deps, runners);
  const active = createActiveTurns(effects, agents.limits());
  /** Until the whole room was taken in once, edits are gathered, and nothing is decided over them or started. */
  const firstScan = { isOver: false };
  const dirtyTasks = createDirtyTasks();
  return {
    ...dependencies,
    ...work,
    ...{ holdsRoom: outside.holdsRoom, onTrouble, note: outside.note },
    ...{ mode, agents, active, dirtyTasks, firstScan },
    known: createKnownChores(deps),
    dirtyPaths: createDirtyPaths({ ...work, deps, timers: work.newTimers(), onTrouble }),
    observations: createObservations(),
    /** What comes by time, and keeps no room from being idle. */
    timers: createTimers(effects, { onTrouble, keepsAlive: false }),
    isUnderWay: (): boolean => work.isUnderWay() || !dirtyTasks.isEmpty(),
    /** How long a file must have been quiet, ms: edits are debounced by it. */
    quietMs: (): number => (mode.once || !firstScan.isOver ? 0 : deps.config().settleMs),
    /** The loop is being stopped: what can't be written now is left to the next start. */
    isStopping: active.isDraining,
  };
}
