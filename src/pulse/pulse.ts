// The loop of a room from start to stop. Holds the room's lock while it lives; every start has its stop, in reverse
// order, also when the start fails half-way. The way of a change through the loop is told at the top of loop.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { isDamage } from '../store/ledger/damage.ts';
import type { TurnRecord } from '../store/ledger/turns.ts';
import { type RoomLock, takeLock } from '../store/lock/room-lock.ts';
import { cleanTemps } from '../store/write/replace-file.ts';
import { type CommandMessages, createCommandMessages } from './command-messages.ts';
import { takeFirstLook } from './first-sweep.ts';
import { createHold, type Hold } from './hold.ts';
import { createLoop, type Loop } from './loop.ts';
import type { PulseDependencies, PulseMode, RunningPulse } from './pulse-dependencies.ts';
import { recoverTurns } from './schedule/recovery.ts';
import { createShutdown } from './shutdown.ts';
import { createTroubleReporter, type TroubleReporter } from './trouble-reporter.ts';
import { createTimedWork, type TimedWork } from './upkeep/timed-work.ts';
import { createRoomWatch, type RoomWatch } from './watch/room-watch.ts';

/** All that is open while the loop runs. */
interface Pulse {
  dependencies: PulseDependencies;
  mode: PulseMode;
  lock: RoomLock;
  hold: Hold;
  loop: Loop;
  messages: CommandMessages;
  roomWatch: RoomWatch;
  timedWork: TimedWork;
  trouble: TroubleReporter;
  onTrouble(error: unknown): void;
}

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
  const { loop } = pulse;
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
  const { finished, stop } = shutdown;
  return { finished, stop, note: pulse.trouble.note };
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
): Pulse {
  const { deps } = dependencies;
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
  const loop = createLoop({
    dependencies,
    mode,
    holdsRoom: hold.check,
    onIdle,
    onTrouble,
    note: trouble.note,
  });
  const { intake, chores, settling, retries } = loop;
  const messages = createCommandMessages({ ledger, loop, self: lock.holder, stop, onTrouble });
  const roomWatch = createRoomWatch(room, effects, {
    onTask: intake.hint,
    onChores: () => void chores.look(),
    onSettings: () => takeNewSettings(dependencies, loop, onTrouble),
    onWake() {
      if (hold.check()) messages.receive();
    },
    onError: onTrouble,
    async onBlind() {
      if (hold.check()) messages.receive();
      return sweep();
    },
  });
  const sweep = () => sweepRoom(deps, { hold, loop, trouble, roomWatch });
  const timedWork = createTimedWork({
    deps,
    sweep,
    settling,
    retries,
    hold,
    running: loop.running,
    tidyWorkspaces: dependencies.workspaces.tidy,
    onTrouble,
  });
  return { dependencies, mode, lock, hold, loop, messages, roomWatch, timedWork, trouble, onTrouble };
}

/** Looks at the whole room, and tries again what trouble kept from being done; resolves with how many task files there are. */
async function sweepRoom(
  { ledger }: PulseDependencies['deps'],
  { hold, loop, trouble, roomWatch }: Pick<Pulse, 'hold' | 'loop' | 'trouble' | 'roomWatch'>,
): Promise<number> {
  const { total } = await loop.intake.sweep();
  if (hold.check()) await loop.observations.carryOut();
  ledger.database.examine();
  if (trouble.mended()) await roomWatch.open();
  roomWatch.checkSettings();
  if (await loop.agents.look()) decideAnew(loop);
  await loop.chores.look();
  return total;
}

/** Takes up what was left and takes in what is there; resolves with how many task files that are. */
async function takeUpRoom(
  { dependencies, loop, roomWatch, onTrouble }: Pulse,
  startedAt: number,
): Promise<number> {
  const { deps, claimUnstarted, endOrphan } = dependencies;
  const { room, effects, ledger } = deps;
  const { agents, scheduler, turns } = loop;
  mkdirSync(room.turnsDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(room.wakePath), { recursive: true });
  writeFileSync(room.wakePath, '');
  cleanTemps(room.tasksDir, effects.now());
  if (ledger.database.damaged !== null) onTrouble(damagedLedger(ledger.database.damaged));
  await loop.agents.look();
  await loop.chores.prepare();
  const drainReports = async ({ id }: TurnRecord): Promise<void> => {
    const bridge = await dependencies.bridges.open(id, onTrouble);
    await bridge.drain().finally(() => bridge.close());
  };
  await recoverTurns({ deps, agents, scheduler, turns, drainReports, claimUnstarted, endOrphan });
  await roomWatch.open();
  return takeFirstLook(loop, deps, startedAt);
}

/** Starts what is due by now, and all that comes by time. */
async function begin(pulse: Pulse, files: number): Promise<void> {
  const { loop, messages, timedWork, onTrouble } = pulse;
  await loop.observations.carryOut();
  messages.receive();
  loop.waiting.look();
  loop.scheduler.startTurns();
  await timedWork.start(files).catch(onTrouble);
  await loop.chores.start();
  await loop.dreams.lookAtAll();
  loop.idle.watch(() => isIdle(pulse));
}

/** Nothing is asked for or under way, and nothing comes back by itself before somebody does something. */
function isIdle({ dependencies, mode, loop }: Pulse): boolean {
  const { running, scheduler, chores, pushes, notices, intake, settling } = loop;
  if (running.count() > 0) return false;
  // What waits for its agent is left for later where the loop ends by itself, as retries are.
  if (dependencies.queue.countPending() > 0 && !(mode.once && !scheduler.canStart())) return false;
  if (
    loop.dreams.isBusy() ||
    chores.isBusy() ||
    pushes.isBusy() ||
    notices.isBusy() ||
    !intake.isQuiet() ||
    !settling.isQuiet()
  )
    return false;
  if (mode.once) return true;
  return dependencies.deps.ledger.tasks.nextRetryAt() === null && !chores.awaitsRetry();
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
  void loop.agents.look().then((isNews) => isNews && decideAnew(loop), onTrouble);
}

function decideAnew({ decider, scheduler }: Loop): void {
  decider.decideAll();
  scheduler.startTurns();
}

async function release({ lock, hold, loop, roomWatch, timedWork, trouble }: Pulse): Promise<void> {
  timedWork.close();
  loop.retries.close();
  loop.waiting.close();
  await roomWatch.close();
  await Promise.all([loop.chores.stop(), loop.pushes.stop()]);
  loop.intake.close();
  loop.settling.close();
  if (hold.check()) await loop.observations.carryOut();
  trouble.close();
  lock.release();
}

function damagedLedger(aside: string): RoomError {
  return new RoomError('io', `the ledger was damaged: it lies at ${aside}, and a new one was begun`, {
    hint: 'tasks that say doing wait for an edit or taskroom run',
  });
}
