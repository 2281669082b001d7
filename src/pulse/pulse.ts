// The loop of a room from start to stop. Owns the room's lock while it lives; every start has its stop, in reverse order,
// also when the start fails half-way. The way of a change through the loop is told at the top of stations.ts.

import { existsSync, statSync } from 'node:fs';
import { RoomError } from '../core/errors.ts';
import { isDamage } from '../store/ledger/sqlite-file.ts';
import { type FileLock, takeLock } from '../store/lock/locks.ts';
import type { Room } from '../store/room.ts';
import { type Base, createBase } from './base.ts';
import { receiveMessages } from './messages.ts';
import { createTroubleReporter, type TroubleReporter } from './notify/trouble-reporter.ts';
import type { PulseDependencies, PulseMode } from './ports.ts';
import { begin, takeUpRoom } from './start-up.ts';
import { createStations, type Stations } from './stations.ts';
import { createRoomWatch } from './watch/watch-room.ts';

type Pulse = ReturnType<typeof createPulse>;

/**
 * Starts the loop; resolves when it has taken in the room and watches.
 * @throws RoomError `locked`, `room_gone`, `io`
 */
export async function startPulse(dependencies: PulseDependencies, mode: PulseMode) {
  const { deps } = dependencies;
  const lock = takeLock(deps.room, mode.command, deps.effects.now());
  const pulse = createPulse(dependencies, mode, lock, {
    stop: (graceMs) => void shutdown.stop(graceMs),
    fail: (error) => shutdown.fail(error),
  });
  const { base, stations } = pulse;
  const shutdown = createShutdown(pulse);
  let files: number;
  try {
    files = await takeUpRoom(base, stations, pulse.roomWatch.open);
  } catch (error) {
    base.active.stopAll('interrupted');
    await stations.scheduler.settled();
    await release(pulse);
    throw error;
  }
  await begin(base, stations, files, pulse);
  return {
    /** Resolves when the loop has ended, however that came. */
    finished: shutdown.finished,
    /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. */
    stop: shutdown.stop,
    ...{ onTrouble: base.onTrouble, note: base.note },
    /** The task files of which something was heard, read or not. */
    heard: stations.observe.recent,
    told: stations.webhookNews.take,
    /** What agents need may have changed: it is looked at anew. */
    agentsChanged: () => void lookAtAgents(base, stations).catch(base.onTrouble),
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
  const base = createBase(dependencies, mode, {
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
  const stations = createStations(base);
  const takeSettings = () => takeNewSettings(base, stations);
  const receive = () => {
    if (base.holdsRoom()) receiveMessages(base, stations, { holder: lock.holder, stop, takeSettings });
  };
  const roomWatch = createRoomWatch(base, {
    onTask: stations.observe.hint,
    onChores: () => void stations.chores.look(),
    onArtifacts: stations.artifacts.hint,
    onSettings: base.keep(takeSettings),
    onWake: receive,
    onError: base.onTrouble,
    onBlind() {
      receive();
      return look();
    },
  });
  const look = () => lookAtRoom(base, stations, trouble, roomWatch);
  return { base, stations, mode, lock, receive, roomWatch, trouble, look };
}

/** Looks at the whole room, and tries again what trouble kept from being done; resolves with how many task files there are. */
async function lookAtRoom(
  base: Base,
  stations: Stations,
  trouble: TroubleReporter,
  roomWatch: Pick<ReturnType<typeof createRoomWatch>, 'open' | 'checkSettings'>,
): Promise<number> {
  const { observe, carryOut, chores, artifacts } = stations;
  const { total } = await observe.rescan();
  if (base.holdsRoom()) await carryOut();
  base.deps.ledger.database.examine();
  if (trouble.mended()) await roomWatch.open();
  roomWatch.checkSettings();
  await lookAtAgents(base, stations);
  await chores.look();
  if (base.holdsRoom()) await artifacts.look();
  base.jobs.look();
  return total;
}

function takeNewSettings(base: Base, stations: Stations): void {
  if (!base.reloadSettings()) return;
  base.active.configure(base.agents.limits());
  stations.waits.look();
  stations.due.decideAll();
  stations.scheduler.startTurns();
  void stations.chores.look();
  lookAtAgents(base, stations).catch(base.onTrouble);
}

/** What agents need is looked at anew, and who can run now is decided anew. */
async function lookAtAgents({ agents }: Base, { due, scheduler }: Stations): Promise<void> {
  if (!(await agents.look())) return;
  due.decideAll();
  scheduler.startTurns();
}

/** The way out: no new turns, the running ones get their time, then all that was opened is released. */
function createShutdown(pulse: Pulse) {
  const { base, stations } = pulse;
  const { effects, events } = base.deps;
  const { active } = base;
  const finished = Promise.withResolvers<{ turns: number; failed: number }>();
  // It may fail before anybody waits for it.
  finished.promise.catch(() => {});
  let stopping: Promise<void> | null = null;
  let failure: RoomError | null = null;

  async function shutDown(graceMs: number): Promise<void> {
    base.stopIdleWatch();
    events.emit({ type: 'room.stopping', turns: active.count() });
    active.drain();
    const grace = effects.setTimer(graceMs, () => active.stopAll('interrupted'));
    const { chores, pushes, webhookNews, scheduler } = stations;
    await Promise.all([chores.stop(), pushes.stop(), webhookNews.stop(), scheduler.settled()]);
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

async function release({ base, stations, mode, lock, roomWatch, trouble }: Pulse): Promise<void> {
  base.timers.close();
  await roomWatch.close();
  const { chores, pushes, webhookNews, artifacts } = stations;
  await Promise.all([chores.stop(), pushes.stop(), webhookNews.stop(), artifacts.close()]);
  await base.jobs.close();
  base.closeWork();
  if (base.holdsRoom()) await stations.carryOut();
  await mode.beforeRelease?.();
  trouble.close();
  lock.release();
}

export function createRoomOwnership(
  room: Room,
  lock: Pick<FileLock, 'isOurs'>,
  onLost: (error: RoomError) => void,
) {
  let ledger = identityOf(room.ledgerPath);
  let isLost = false;

  return {
    /** Looks; false while the room is away, and for good once it is lost. */
    check(): boolean {
      if (isLost) return false;
      if (lock.isOurs() && identityOf(room.ledgerPath) === ledger) return true;
      // A folder that was moved away may come back as it was.
      if (!existsSync(room.dir)) return false;
      isLost = true;
      const message = `${room.ownDir} was removed or replaced while the room ran: nothing more is started, and running turns are ended`;
      const hint = 'start again: taskroom up. Tasks that say doing then wait for an edit or taskroom run';
      onLost(new RoomError('room_gone', message, { hint }));
      return false;
    },
    /** This process itself began a new ledger. */
    ledgerReplaced(): void {
      ledger = identityOf(room.ledgerPath);
    },
  };
}

function identityOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}
