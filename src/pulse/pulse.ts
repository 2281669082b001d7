// The loop of a room from start to stop. Owns the room's lock while it lives; every start has its stop, in reverse order,
// also when the start fails half-way. The way of a change through the loop is told at the top of stations.ts.
import type { RoomError } from '../core/errors.ts';
import { isDamage } from '../store/ledger/sqlite-file.ts';
import type { Message } from '../store/ledger/turns/notices.ts';
import { type FileLock, type LockHolder, takeLock } from '../store/lock/locks.ts';
import { createTroubleReporter } from './notify/trouble-reporter.ts';
import type { PulseDependencies, PulseMode } from './ports.ts';
import { begin, takeUpRoom } from './start-up.ts';
import { createLoop, type Loop } from './state/loop.ts';
import { createStations, type Stations } from './stations.ts';
import { createRoomOwnership, createRoomWatch } from './watch/watch-room.ts';

type Pulse = ReturnType<typeof createPulse>;

/** Starts the loop; resolves when it has taken in the room and watches. @throws RoomError `locked`, `room_gone`, `io` */
export async function startPulse(dependencies: PulseDependencies, mode: PulseMode) {
  const { deps } = dependencies;
  const lock = takeLock(deps.room, mode.command, deps.effects.now());
  const pulse = createPulse(dependencies, mode, lock, {
    stop: (graceMs) => void shutdown.stop(graceMs),
    fail: (error) => shutdown.fail(error),
  });
  const { loop, stations } = pulse;
  const shutdown = createShutdown(pulse);
  let files: number;
  try {
    files = await takeUpRoom(loop, stations, pulse.roomWatch.open);
  } catch (error) {
    loop.active.stopAll('interrupted');
    await stations.scheduler.settled();
    await release(pulse);
    throw error;
  }
  await begin(loop, stations, files, pulse);
  return {
    finished: shutdown.finished, // Resolves when the loop has ended, however that came.
    /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. */
    stop: shutdown.stop,
    ...{ onTrouble: loop.onTrouble, note: loop.note },
    heard: loop.dirtyPaths.recent, // The task files of which something was heard, read or not.
    told: stations.webhookNews.take,
    pullTold: stations.pulls.lookAt,
    /** What agents need may have changed: it is looked at anew. */
    agentsChanged: () => void lookAtAgents(loop, stations).catch(loop.onTrouble),
  };
}

export type RunningPulse = Awaited<ReturnType<typeof startPulse>>;

function createPulse(
  dependencies: PulseDependencies,
  mode: PulseMode,
  lock: FileLock,
  { stop, fail }: { stop(graceMs: number): void; fail(error: RoomError): void },
) {
  const { deps } = dependencies;
  const trouble = createTroubleReporter(deps);
  const ownership = createRoomOwnership(deps.room, lock, fail);
  // With the ledger all that the loop knows is gone: it ends, for whoever runs it to start anew.
  deps.ledger.database.onDamage((error) => {
    ownership.ledgerReplaced();
    trouble.report(error);
    fail(error);
  });
  const loop = createLoop(dependencies, mode, {
    holdsRoom: ownership.check,
    note: trouble.note,
    onTrouble(error) {
      if (!isDamage(error)) trouble.report(error);
    },
    onIdle() {
      deps.events.emit({ type: 'room.idle' });
      if (mode.once || mode.exitWhenIdle) stop(0);
    },
  });
  const stations = createStations(loop);
  const takeSettings = () => takeNewSettings(loop, stations);
  const receive = () => {
    if (loop.holdsRoom()) receiveMessages(loop, stations, { holder: lock.holder, stop, takeSettings });
  };
  const roomWatch = createRoomWatch(loop, {
    onTask: loop.dirtyPaths.push,
    onChores: () => void stations.chores.look(),
    onArtifacts: stations.artifacts.hint,
    onSettings: loop.keep(takeSettings),
    onWake: receive,
    onError: loop.onTrouble,
    onBlind() {
      receive();
      return look();
    },
  });
  const pulse = { loop, stations, mode, lock, receive, roomWatch, trouble };
  const look = () => lookAtRoom(pulse);
  return { ...pulse, look };
}

/** Looks at the whole room, and tries again what trouble kept from being done; resolves with how many task files there are. */
async function lookAtRoom({ loop, stations, trouble, roomWatch }: Omit<Pulse, 'look'>): Promise<number> {
  const { observe, carryOut, chores, artifacts } = stations;
  const { total } = await observe.rescan();
  if (loop.holdsRoom()) await carryOut();
  loop.deps.ledger.database.examine();
  if (trouble.mended()) await roomWatch.open();
  roomWatch.checkSettings();
  await lookAtAgents(loop, stations);
  await chores.look();
  if (loop.holdsRoom()) await artifacts.look();
  loop.jobs.look();
  return total;
}

function takeNewSettings(loop: Loop, stations: Stations): void {
  if (!loop.reloadSettings()) return;
  loop.active.configure(loop.agents.limits());
  for (const path of loop.deps.ledger.files.toReadAnew()) {
    loop.dirtyPaths.stamps.delete(path);
    void loop.dirtyPaths.push(path);
  }
  stations.waits.look();
  stations.due.decideAll();
  stations.scheduler.startTurns();
  void stations.chores.look();
  lookAtAgents(loop, stations).catch(loop.onTrouble);
}

/** What agents need is looked at anew, and who can run now is decided anew. */
async function lookAtAgents({ agents }: Loop, { due, scheduler }: Stations): Promise<void> {
  if (!(await agents.look())) return;
  due.decideAll();
  scheduler.startTurns();
}

/** The way out: no new turns, the running ones get their time, then all that was opened is released. */
function createShutdown(pulse: Pulse) {
  const { loop, stations } = pulse;
  const { effects, events } = loop.deps;
  const { active } = loop;
  const finished = Promise.withResolvers<{ turns: number; failed: number }>();
  // It may fail before anybody waits for it.
  finished.promise.catch(() => {});
  let stopping: Promise<void> | null = null;
  let failure: RoomError | null = null;

  async function shutDown(graceMs: number): Promise<void> {
    loop.stopIdleWatch();
    events.emit({ type: 'room.stopping', turns: active.running.size });
    active.drain();
    const grace = effects.setTimer(graceMs, () => active.stopAll('interrupted'));
    await Promise.all([stopSyncs(stations), stations.scheduler.settled()]);
    grace.cancel();
    await stations.notices.stop();
    await release(pulse);
    events.emit({ type: 'room.stopped' });
    if (failure === null) finished.resolve(stations.turns.count());
    else finished.reject(failure);
  }

  function stop(graceMs: number): Promise<void> {
    if (stopping === null) stopping = shutDown(graceMs);
    else if (graceMs === 0) active.stopAll('interrupted');
    return stopping;
  }

  return {
    finished: finished.promise,
    stop,
    /** Stops at once; `finished` rejects with the error. */
    fail(error: RoomError): void {
      failure ??= error;
      stop(0).catch(finished.reject);
    },
  };
}

async function release({ loop, stations, mode, lock, roomWatch, trouble }: Pulse): Promise<void> {
  loop.timers.close();
  await roomWatch.close();
  await Promise.all([stopSyncs(stations), stations.artifacts.close()]);
  await loop.jobs.close();
  loop.closeWork();
  if (loop.holdsRoom()) await stations.carryOut();
  await mode.beforeRelease?.();
  trouble.close();
  lock.release();
}

const stopSyncs = ({ chores, pushes, pulls, webhookNews }: Stations) =>
  Promise.all([chores, pushes, pulls, webhookNews].map((each) => each.stop()));

interface Daemon {
  holder: Pick<LockHolder, 'pid' | 'since'>;
  stop(graceMs: number): void; // Stops the loop; running turns get `graceMs` to end by themselves.
  takeSettings(): void;
}

const STOP_GRACE_MS = 30_000;

/** Carries out what commands left in the ledger, in the order it was sent. Never throws. */
function receiveMessages(loop: Loop, stations: Stations, daemon: Daemon): void {
  try {
    for (const message of loop.deps.ledger.messages.receive()) carryOut(loop, stations, daemon, message);
    stations.notices.look();
  } catch (error) {
    loop.onTrouble(error);
  }
}

function carryOut(
  loop: Loop,
  { due, scheduler, chores }: Stations,
  { holder, stop, takeSettings }: Daemon,
  message: Message,
): void {
  switch (message.kind) {
    case 'stop':
      if (message.pid === holder.pid && message.since === holder.since) stop(message.now ? 0 : STOP_GRACE_MS);
      return;
    case 'look':
      for (const task of message.tasks) loop.dirtyTasks.push(task, 'asked');
      // One may have been asked for already, and wait no more for its agent.
      return scheduler.startTurns();
    case 'settings':
    case 'release':
      if (message.kind === 'settings') takeSettings();
      due.decideAll();
      return scheduler.startTurns();
    case 'jobs':
      return loop.jobs.look();
    case 'chores':
      return void chores.look();
    case 'kill': {
      const turn = loop.deps.ledger.turns.get(message.turn);
      if (turn) loop.active.stop(turn.thread, 'person');
    }
  }
}
