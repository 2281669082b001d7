// The beginning of the loop: what an earlier one left is recovered, the whole room scanned, what is due by now started,
// and from then on the room is idle when nothing is left to do.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { ARTIFACTS } from '../store/files/scan.ts';
import { cleanTemps } from '../store/write/replace-file.ts';
import { finishBulks } from '../tasks/bulk/carry-out-bulk.ts';
import { recoverTurns } from './schedule/recovery.ts';
import { canStart } from './schedule/scheduler.ts';
import type { Loop } from './state/loop.ts';
import type { Stations } from './stations.ts';
import { startTimedWork } from './timers/timed-work.ts';

/** Recovers what was left and takes in what is there; resolves with how many task files that are. */
export async function takeUpRoom(loop: Loop, stations: Stations, openWatch: () => Promise<void>) {
  const { deps, onTrouble } = loop;
  const { room, effects, ledger } = deps;
  const startedAt = effects.monotonicMs();
  mkdirSync(room.turnsDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(room.wakePath), { recursive: true });
  writeFileSync(room.wakePath, '');
  for (const dir of [room.tasksDir, room.at(ARTIFACTS)]) cleanTemps(dir, effects.now());
  if (ledger.database.damaged !== null) onTrouble(damagedLedger(ledger.database.damaged));
  await loop.agents.look();
  await stations.chores.prepare();
  await loop.jobs.open({ onDue: (task) => loop.dirtyTasks.push(task, 'asked'), onTrouble });
  await recoverTurns(loop, stations.scheduler, stations.turns);
  await finishBulks(deps).catch(onTrouble);
  await openWatch();
  return scanFirst(loop, stations, startedAt);
}

/**
 * Takes in the whole room for the first time and decides over it; resolves with how many files there are.
 * @param startedAt when the start began, ms on the monotonic clock
 */
async function scanFirst(loop: Loop, stations: Stations, startedAt: number): Promise<number> {
  const { ledger, effects, events } = loop.deps;
  const isNew = ledger.meta.get('observed') === null;
  const onProgress = (done: number, total: number) => events.emit({ type: 'room.scanning', done, total });
  const { total } = await stations.observe.rescan({ first: true, onProgress });
  if (isNew) {
    // Nobody knows how far a task got that says doing: it waits for `run` or an edit.
    for (const { id, revision } of ledger.tasks.withStatus(['doing']))
      ledger.tasks.update(id, { consumed: revision });
    ledger.meta.set('observed', String(effects.now()));
  }
  loop.firstScan.isOver = true;
  stations.pushes.look();
  stations.due.decideGathered({ holdsMany: !isNew });
  stations.due.decideAll();
  const tookMs = effects.monotonicMs() - startedAt;
  events.emit({ type: 'room.ready', tasks: total, invalid: ledger.files.invalid().length, tookMs });
  return total;
}

/** Starts what is due by now, and all that comes by time. */
export async function begin(
  loop: Loop,
  stations: Stations,
  files: number,
  { receive, look }: { receive(): void; look(): Promise<number> },
): Promise<void> {
  await stations.carryOut();
  receive();
  loop.jobs.look();
  stations.waits.look();
  stations.scheduler.startTurns();
  stations.due.waitForRetry();
  await startTimedWork(loop, files, look).catch(loop.onTrouble);
  await stations.chores.start();
  stations.pulls.lookAtAll();
  await stations.artifacts.look();
  await stations.summaries.lookAtAll();
  loop.watchIdle(() => isIdle(loop, stations));
}

/** Nothing is asked for or under way, and nothing comes back by itself before somebody does something. */
function isIdle(loop: Loop, { chores }: Stations): boolean {
  const { deps, mode, active, isUnderWay } = loop;
  if (active.running.size > 0 || isUnderWay() || chores.isBusy()) return false;
  // What waits for its agent is left for later where the loop ends by itself, as retries are.
  if (deps.ledger.requests.count() > 0 && !(mode.once && !canStart(loop))) return false;
  return mode.once || (deps.ledger.tasks.nextRetryAt() === null && !chores.awaitsRetry());
}

function damagedLedger(aside: string): RoomError {
  return new RoomError('io', `the ledger was damaged: it lies at ${aside}, and a new one was begun`, {
    hint: 'tasks that say doing wait for an edit or taskroom run',
  });
}
