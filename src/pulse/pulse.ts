// The loop of a room from start to stop, with everything that is open while it runs: who holds the room, what commands say,
// what the watcher sees, what time asks for, and whom trouble is told. Holds the room's lock while it lives; every start has
// its stop, in reverse order, also when the start fails half-way. The way of a change is told at the top of loop.ts.
import type { RoomError } from '../core/errors.ts';
import { isDamage } from '../store/ledger/damage.ts';
import { type RoomLock, takeLock } from '../store/lock/room-lock.ts';
import { createCommandMessages } from './command-messages.ts';
import { createHold } from './hold.ts';
import { createLoop, type Loop } from './loop.ts';
import type { PulseDependencies, PulseMode, RunningPulse } from './ports.ts';
import { createShutdown } from './shutdown.ts';
import { begin, takeUpRoom } from './take-up.ts';
import { createTroubleReporter } from './trouble-reporter.ts';
import { createTimedWork } from './upkeep/timed-work.ts';
import { createRoomWatch } from './watch/room-watch.ts';

/** All that is open while the loop runs. */
export type Pulse = ReturnType<typeof createPulse>;

/**
 * Starts the loop; resolves when it has taken in the room and watches.
 * @throws RoomError `locked`, `room_gone`, `io`
 */
export async function startPulse(dependencies: PulseDependencies, mode: PulseMode): Promise<RunningPulse> {
  const { deps } = dependencies;
  const startedAt = deps.effects.monotonicMs();
  const lock = takeLock(deps.room, mode.command, deps.effects.now());
  const pulse = createPulse(dependencies, mode, lock, {
    stop: (graceMs) => void shutdown.stop(graceMs),
    fail: (error) => shutdown.fail(error),
  });
  const { loop, onTrouble, trouble } = pulse;
  const shutdown = createShutdown({ deps, loop, release: () => release(pulse) });
  let files: number;
  try {
    files = await takeUpRoom(pulse, startedAt);
  } catch (error) {
    loop.running.stopAll('interrupted');
    await loop.scheduler.settled();
    await release(pulse);
    throw error;
  }
  await begin(pulse, files);
  return {
    ...{ finished: shutdown.finished, stop: shutdown.stop, onTrouble, note: trouble.note },
    heard: loop.intake.heard,
    told: loop.webhookNews.take,
    agentsChanged: () => lookAtAgents(loop, onTrouble),
  };
}

interface Endings {
  /** Stops the loop; running turns get `graceMs`. */
  stop(graceMs: number): void;
  /** Stops it at once, for this. */
  fail(error: RoomError): void;
}

function createPulse(
  dependencies: PulseDependencies,
  mode: PulseMode,
  lock: RoomLock,
  { stop, fail }: Endings,
) {
  const { deps, jobs } = dependencies;
  const { room, effects, events, ledger } = deps;
  const trouble = createTroubleReporter(deps);
  // With the ledger all that the loop knows is gone: it ends, for whoever runs it to start anew.
  ledger.database.onDamage((error) => {
    hold.ledgerReplaced();
    trouble.report(error);
    fail(error);
  });
  function onTrouble(error: unknown): void {
    if (!isDamage(error)) trouble.report(error);
  }
  function onIdle(): void {
    events.emit({ type: 'room.idle' });
    if (mode.once || mode.exitWhenIdle) stop(0);
  }
  const hold = createHold({ room, lock, onLost: fail });
  const { note } = trouble;
  const loop = createLoop({ dependencies, mode, holdsRoom: hold.check, onIdle, onTrouble, note });
  const { intake, chores } = loop;
  const self = lock.holder;
  const takeSettings = () => takeNewSettings(dependencies, loop, onTrouble);
  const messages = createCommandMessages({ ledger, loop, jobs, self, stop, takeSettings, onTrouble });
  const roomWatch = createRoomWatch(room, effects, {
    onTask: intake.hint,
    onChores: () => void chores.look(),
    onArtifacts: loop.artifacts.hint,
    onSettings: loop.persistence.keep(takeSettings),
    onWake() {
      if (hold.check()) messages.receive();
    },
    onError: onTrouble,
    async onBlind() {
      if (hold.check()) messages.receive();
      return sweep();
    },
  });
  /** Looks at the whole room, and tries again what trouble kept from being done; resolves with how many task files there are. */
  async function sweep(): Promise<number> {
    const { total } = await intake.sweep();
    if (hold.check()) await loop.observations.carryOut();
    ledger.database.examine();
    if (trouble.mended()) await roomWatch.open();
    roomWatch.checkSettings();
    if (await loop.agents.look()) decideAnew(loop);
    await chores.look();
    if (hold.check()) await loop.artifacts.look();
    jobs.look();
    return total;
  }
  const timedWork = createTimedWork({
    deps,
    sweep,
    hold,
    loop,
    workspaces: dependencies.workspaces,
    onTrouble,
  });
  return { dependencies, mode, lock, hold, loop, messages, roomWatch, timedWork, trouble, onTrouble };
}

function takeNewSettings(
  { reloadSettings }: PulseDependencies,
  loop: Loop,
  onTrouble: (error: unknown) => void,
): void {
  if (!reloadSettings()) return;
  loop.running.configure(loop.agents.limits());
  loop.waiting.look();
  decideAnew(loop);
  void loop.chores.look();
  lookAtAgents(loop, onTrouble);
}

/** What agents need is looked at anew, and who can run now is decided anew. */
function lookAtAgents(loop: Loop, onTrouble: (error: unknown) => void): void {
  void loop.agents
    .look()
    .then((isNews) => isNews && decideAnew(loop))
    .catch(onTrouble);
}

function decideAnew({ decider, scheduler }: Loop): void {
  decider.decideAll();
  scheduler.startTurns();
}

async function release({ dependencies, mode, lock, hold, loop, ...open }: Pulse): Promise<void> {
  open.timedWork.close();
  loop.retries.close();
  loop.waiting.close();
  await open.roomWatch.close();
  await Promise.all([
    loop.chores.stop(),
    loop.pushes.stop(),
    loop.webhookNews.stop(),
    loop.artifacts.close(),
  ]);
  await dependencies.jobs.close();
  loop.intake.close();
  loop.settling.close();
  loop.persistence.close();
  if (hold.check()) await loop.observations.carryOut();
  await mode.beforeRelease?.();
  open.trouble.close();
  lock.release();
}
