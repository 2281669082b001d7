// The beginning of the loop: what an earlier one left is recovered, the whole room scanned, what is due by now started,
// and from then on the room is idle when nothing is left to do.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { ARTIFACTS } from '../store/files/scan.ts';
import { cleanTemps } from '../store/write/replace-file.ts';
import { finishBulks } from '../tasks/bulk/carry-out-bulk.ts';
import type { Base } from './base.ts';
import { recoverTurns } from './schedule/recovery.ts';
import { canStart } from './schedule/scheduler.ts';
import type { Stations } from './stations.ts';
import { startTimedWork } from './timers/timed-work.ts';

/** Recovers what was left and takes in what is there; resolves with how many task files that are. */
export async function takeUpRoom(
  base: Base,
  stations: Stations,
  openWatch: () => Promise<void>,
): Promise<number> {
  const { deps, onTrouble } = base;
  const { room, effects, ledger } = deps;
  const startedAt = effects.monotonicMs();
  mkdirSync(room.turnsDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(room.wakePath), { recursive: true });
  writeFileSync(room.wakePath, '');
  for (const dir of [room.tasksDir, room.at(ARTIFACTS)]) cleanTemps(dir, effects.now());
  if (ledger.database.damaged !== null) onTrouble(damagedLedger(ledger.database.damaged));
  await base.agents.look();
  await stations.chores.prepare();
  await base.jobs.open({ onDue: stations.due.asked, onTrouble });
  await recoverTurns(base, stations.scheduler, stations.turns);
  await finishBulks(deps).catch(onTrouble);
  await openWatch();
  return scanFirst(base, stations, startedAt);
}

/**
 * Takes in the whole room for the first time and decides over it; resolves with how many files there are.
 * @param startedAt when the start began, ms on the monotonic clock
 */
async function scanFirst(base: Base, stations: Stations, startedAt: number): Promise<number> {
  const { ledger, effects, events } = base.deps;
  const isNew = ledger.meta.get('observed') === null;
  const onProgress = (done: number, total: number) => events.emit({ type: 'room.scanning', done, total });
  const { total } = await stations.observe.rescan({ first: true, onProgress });
  if (isNew) {
    // Nobody knows how far a task got that says doing: it waits for `run` or an edit.
    for (const { id, revision } of ledger.tasks.withStatus(['doing']))
      ledger.tasks.update(id, { consumed: revision });
    ledger.meta.set('observed', String(effects.now()));
  }
  base.firstScan.isOver = true;
  stations.pushes.look();
  stations.due.decideGathered({ holdsMany: !isNew });
  stations.due.decideAll();
  const tookMs = effects.monotonicMs() - startedAt;
  events.emit({ type: 'room.ready', tasks: total, invalid: ledger.files.invalid().length, tookMs });
  return total;
}

/** Starts what is due by now, and all that comes by time. */
export async function begin(
  base: Base,
  stations: Stations,
  files: number,
  { receive, look }: { receive(): void; look(): Promise<number> },
): Promise<void> {
  await stations.carryOut();
  receive();
  base.jobs.look();
  stations.waits.look();
  stations.scheduler.startTurns();
  stations.due.waitForRetry();
  await startTimedWork(base, files, look).catch(base.onTrouble);
  await stations.chores.start();
  await stations.artifacts.look();
  await stations.summaries.lookAtAll();
  base.watchIdle(() => isIdle(base, stations));
}

/** Nothing is asked for or under way, and nothing comes back by itself before somebody does something. */
function isIdle(base: Base, { chores }: Stations): boolean {
  const { deps, mode, active, isUnderWay } = base;
  if (active.count() > 0 || isUnderWay() || chores.isBusy()) return false;
  // What waits for its agent is left for later where the loop ends by itself, as retries are.
  if (deps.ledger.requests.count() > 0 && !(mode.once && !canStart(base))) return false;
  return mode.once || (deps.ledger.tasks.nextRetryAt() === null && !chores.awaitsRetry());
}

function damagedLedger(aside: string): RoomError {
  return new RoomError('io', `the ledger was damaged: it lies at ${aside}, and a new one was begun`, {
    hint: 'tasks that say doing wait for an edit or taskroom run',
  });
}
