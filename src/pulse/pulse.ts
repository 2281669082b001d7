// The loop of a room from start to stop. Holds the room's lock while it lives; every start has its stop, in reverse
// order, also when the start fails half-way.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RoomError } from '../core/errors.ts';
import type { Effects, Timer } from '../effects.ts';
import { takeLock } from '../store/lock/room-lock.ts';
import { cleanTemps } from '../store/write/replace-file.ts';
import { applyConsequences } from '../tasks/observe/apply-consequences.ts';
import { openRoomWatcher, type RoomWatcher } from './intake/room-watcher.ts';
import { createLoop } from './loop.ts';
import type { PulseDependencies, PulseMode, RunningPulse } from './pulse-dependencies.ts';
import { createTimedWork } from './timed-work.ts';
import { createTroubleReporter } from './trouble-reporter.ts';

// Editors write settings in several steps.
const SETTINGS_QUIET_MS = 200;

/**
 * Starts the loop; resolves when it has taken in the room and watches.
 * @throws RoomError `locked`, `room_gone`, `io`
 */
export async function startPulse(parts: PulseDependencies, mode: PulseMode): Promise<RunningPulse> {
  const { deps } = parts;
  const { effects, room, events } = deps;
  const startedAt = effects.monotonicMs();
  const lock = takeLock(room, mode.command, effects.now());
  const trouble = createTroubleReporter(deps);
  const finished = Promise.withResolvers<{ turns: number; failed: number }>();
  let watcher: RoomWatcher | null = null;
  let stopping: Promise<void> | null = null;
  let files = 0;

  const loop = createLoop({
    parts,
    mode,
    trouble,
    onIdle() {
      events.emit({ type: 'room.idle' });
      if (mode.once || mode.exitWhenIdle) void stop(0);
    },
    onStop: (graceMs) => void stop(graceMs),
    onTurnOver: () => clockwork.armRetry(),
  });
  const clockwork = createTimedWork({
    deps,
    async sweep() {
      const { total } = await loop.intake.sweep();
      if (trouble.mended()) await watch();
      await loop.chores.look();
      return total;
    },
    look: loop.look,
    onTrouble: trouble.report,
  });
  const settingsChanged = debounce(effects, SETTINGS_QUIET_MS, () => {
    if (parts.reloadSettings()) loop.configured();
  });

  async function watch(): Promise<void> {
    await watcher?.close();
    const onError = trouble.report;
    watcher = await openRoomWatcher(room, {
      onTask: loop.intake.hint,
      onChores: () => void loop.chores.look(),
      onSettings: settingsChanged.call,
      onWake: loop.receive,
      onError,
    });
  }

  function stop(graceMs: number): Promise<void> {
    if (stopping === null) stopping = shutDown(graceMs);
    else if (graceMs === 0) loop.scheduler.stopAll('interrupted');
    return stopping;
  }

  async function shutDown(graceMs: number): Promise<void> {
    loop.idle.close();
    events.emit({ type: 'room.stopping', turns: loop.scheduler.runningCount() });
    loop.scheduler.drain();
    const grace = effects.setTimer(graceMs, () => loop.scheduler.stopAll('interrupted'));
    await Promise.all([loop.chores.stop(), loop.pushes.stop(), loop.scheduler.settled()]);
    grace.cancel();
    await release();
    events.emit({ type: 'room.stopped' });
    finished.resolve(loop.count);
  }

  async function release(): Promise<void> {
    settingsChanged.cancel();
    clockwork.close();
    await Promise.all([loop.chores.stop(), loop.pushes.stop()]);
    loop.intake.close();
    await watcher?.close();
    await applyConsequences(deps).catch(trouble.report);
    lock.release();
  }

  try {
    mkdirSync(room.turnsDir, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(room.wakePath), { recursive: true });
    writeFileSync(room.wakePath, '');
    cleanTemps(room.tasksDir, effects.now());
    if (deps.ledger.database.damaged !== null) trouble.report(damagedLedger(deps.ledger.database.damaged));
    await loop.chores.prepare();
    await loop.recover();
    await watch();
    files = await loop.firstLook(startedAt);
  } catch (error) {
    loop.scheduler.stopAll('interrupted');
    await loop.scheduler.settled();
    await release();
    throw error;
  }
  await applyConsequences(deps).catch(trouble.report);
  loop.receive();
  loop.scheduler.pump();
  await clockwork.start(files).catch(trouble.report);
  await loop.chores.start();
  loop.mayIdle();
  return { finished: finished.promise, stop };
}

function damagedLedger(aside: string): RoomError {
  return new RoomError('io', `the ledger was damaged: it lies at ${aside}, and a new one was begun`, {
    hint: 'tasks that say doing wait for an edit or taskroom run',
  });
}

function debounce(effects: Effects, quietMs: number, run: () => void): { call(): void; cancel(): void } {
  let timer: Timer | null = null;
  return {
    call() {
      timer?.cancel();
      timer = effects.setTimer(quietMs, run, true);
    },
    cancel: () => timer?.cancel(),
  };
}
