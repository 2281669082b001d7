// The beginning of the loop: what an earlier one left is taken up, the whole room looked at, what is due by now started,
// and from then on the room is idle when nothing is left to do.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { ARTIFACTS } from '../store/artifacts.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import { cleanTemps } from '../store/write/replace-file.ts';
import { finishBulks } from '../tasks/bulk/carry-out-bulk.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { Loop } from './loop.ts';
import type { Pulse } from './pulse-parts.ts';
import { recoverTurns } from './schedule/recovery.ts';

/** Takes up what was left and takes in what is there; resolves with how many task files that are. */
export async function takeUpRoom(
  { dependencies, loop, roomWatch, onTrouble }: Pulse,
  startedAt: number,
): Promise<number> {
  const { deps, isOut, claimUnstarted, endProcesses, closeTurnFolder } = dependencies;
  const { room, effects, ledger } = deps;
  const { agents, scheduler, turns } = loop;
  mkdirSync(room.turnsDir, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(room.wakePath), { recursive: true });
  writeFileSync(room.wakePath, '');
  for (const dir of [room.tasksDir, room.at(ARTIFACTS)]) cleanTemps(dir, effects.now());
  if (ledger.database.damaged !== null) onTrouble(damagedLedger(ledger.database.damaged));
  await loop.agents.look();
  await loop.chores.prepare();
  const drainReports = async ({ id }: TurnRecord): Promise<void> => {
    const bridge = await dependencies.bridges.open(id, onTrouble);
    await bridge.drain().finally(() => bridge.close());
  };
  const { settling } = loop;
  await dependencies.jobs.open({ onDue: settling.asked, onTrouble });
  await recoverTurns({
    deps,
    agents,
    scheduler,
    turns,
    drainReports,
    isOut,
    claimUnstarted,
    endProcesses,
    closeTurnFolder,
  });
  await finishBulks(deps).catch(onTrouble);
  await roomWatch.open();
  return takeFirstLook(loop, deps, startedAt);
}

/**
 * Takes in the whole room for the first time and decides over it; resolves with how many files there are.
 * @param startedAt when the start began, ms on the monotonic clock
 */
async function takeFirstLook(loop: Loop, deps: TaskRoom, startedAt: number): Promise<number> {
  const { ledger, effects, events } = deps;
  const isNew = ledger.meta.get('observed') === null;
  const onProgress = (done: number, total: number) => events.emit({ type: 'room.scanning', done, total });
  const { total } = await loop.intake.sweep({ first: true, onProgress });
  if (isNew) {
    // Nobody knows how far a task got that says doing: it waits for `run` or an edit.
    for (const { id, revision } of ledger.tasks.withStatus(['doing']))
      ledger.tasks.update(id, { consumed: revision });
    ledger.meta.set('observed', String(effects.now()));
  }
  loop.firstLook.isOver = true;
  loop.pushes.look();
  loop.settling.decideGathered({ holdsMany: !isNew });
  loop.decider.decideAll();
  const tookMs = effects.monotonicMs() - startedAt;
  events.emit({ type: 'room.ready', tasks: total, invalid: ledger.files.invalid().length, tookMs });
  return total;
}

/** Starts what is due by now, and all that comes by time. */
export async function begin(pulse: Pulse, files: number): Promise<void> {
  const { dependencies, loop, messages, timedWork, onTrouble } = pulse;
  await loop.observations.carryOut();
  messages.receive();
  dependencies.jobs.look();
  loop.waiting.look();
  loop.scheduler.startTurns();
  await timedWork.start(files).catch(onTrouble);
  await loop.chores.start();
  await loop.artifacts.look();
  await loop.dreams.lookAtAll();
  loop.idle.watch(() => isIdle(pulse));
}

/** Nothing is asked for or under way, and nothing comes back by itself before somebody does something. */
function isIdle({ dependencies, mode, loop }: Pulse): boolean {
  const { running, scheduler, chores, pushes, webhookNews, notices, artifacts, intake, settling } = loop;
  if (running.count() > 0) return false;
  // What waits for its agent is left for later where the loop ends by itself, as retries are.
  if (dependencies.deps.ledger.requests.count() > 0 && !(mode.once && !scheduler.canStart())) return false;
  if (
    loop.dreams.isBusy() ||
    chores.isBusy() ||
    pushes.isBusy() ||
    webhookNews.isBusy() ||
    notices.isBusy() ||
    artifacts.isBusy() ||
    !loop.observations.isQuiet() ||
    !loop.persistence.isQuiet() ||
    !intake.isQuiet() ||
    !settling.isQuiet()
  )
    return false;
  if (mode.once) return true;
  return dependencies.deps.ledger.tasks.nextRetryAt() === null && !chores.awaitsRetry();
}

function damagedLedger(aside: string): RoomError {
  return new RoomError('io', `the ledger was damaged: it lies at ${aside}, and a new one was begun`, {
    hint: 'tasks that say doing wait for an edit or taskroom run',
  });
}
