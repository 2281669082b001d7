// The loop of a room from start to stop. Holds the room's lock while it lives; every start has its stop, in reverse order,
// also when the start fails half-way. The way of a change through the loop is told at the top of loop.ts.
import { takeLock } from '../store/lock/locks.ts';
import type { PulseDependencies, PulseMode, RunningPulse } from './ports.ts';
import { createPulse, lookAtAgents, type Pulse } from './pulse-parts.ts';
import { createShutdown } from './shutdown.ts';
import { begin, takeUpRoom } from './take-up.ts';

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
