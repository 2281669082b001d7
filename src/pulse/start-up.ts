// The beginning of the loop: what an earlier one left is recovered (each turn on record as running is adopted, or recorded as interrupted),
// the whole room scanned, what is due by now started, and from then on the room is idle when nothing is left to do.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { choreOfThread, taskOfThread } from '../core/ids.ts';
import { ARTIFACTS } from '../store/files/scan.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import { cleanTemps } from '../store/write/replace-file.ts';
import { finishBulks } from '../tasks/bulk/carry-out-bulk.ts';
import { watchIdle } from './schedule/scheduler.ts';
import type { Loop } from './state/loop.ts';
import type { Stations } from './stations.ts';
import { startTimedWork } from './timers/timed-work.ts';
import { closeTurnFolder, turnDir, unfinishedTurnFolders } from './turn/turn-files.ts';
import { identityOf } from './watch/watch-room.ts';

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
  await recoverTurns(loop, stations);
  await finishBulks(deps).catch(onTrouble);
  await openWatch();
  return scanFirst(loop, stations, startedAt);
}

/** Takes in the whole room for the first time and decides over it; resolves with how many files there are. */
async function scanFirst(loop: Loop, stations: Stations, startedAt: number): Promise<number> {
  const { ledger, effects, events } = loop.deps;
  const isNew = ledger.meta.get('observed') === null;
  const onProgress = (done: number, total: number) => events.emit({ type: 'room.scanning', done, total });
  const { total } = await stations.observe.rescan(true, onProgress);
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
  watchIdle(loop, stations.chores);
}

function damagedLedger(aside: string): RoomError {
  const hint = 'tasks that say doing wait for an edit or taskroom run';
  return new RoomError('io', `the ledger was damaged: it lies at ${aside}, and a new one was begun`, hint);
}

/** Takes up every turn on record as running. In a copied room they are interrupted, and their threads wait for a person. */
async function recoverTurns(loop: Loop, { scheduler, turns: { interrupt } }: Stations): Promise<void> {
  const { deps } = loop;
  const { meta, turns, tasks, chores } = deps.ledger;
  const here = identityOf(deps.room.dir)!;
  const dir = meta.get('room.dir');
  // A moved room has left its old place; a copied one finds the original still there.
  const isOriginalThere = dir !== null && dir !== deps.room.dir && existsSync(join(dir, '.taskroom'));
  const isCopy = (meta.get('room') ?? here) !== here && isOriginalThere;
  meta.set('room', here);
  meta.set('room.dir', deps.room.dir);
  for (const turn of turns.running()) {
    if (isCopy) {
      // The processes are the other room's: neither touched nor repeated by surprise.
      await interrupt(turn);
      const chore = choreOfThread(turn.thread);
      const task = taskOfThread(turn.thread);
      if (task !== null) tasks.update(task, { held: true });
      else if (chore !== null) chores.update(chore, { endedAt: deps.effects.now() });
    } else if (await canAdopt(loop, turn)) scheduler.adopt(turn);
    else {
      // An agent that talked to the dead runtime may live on; what it reported before counts.
      await loop.endProcesses(turn.id);
      if (existsSync(turnDir(deps.room, turn.id))) {
        const bridge = await loop.bridges.open(turn.id, loop.onTrouble);
        await bridge.drain().finally(() => bridge.close());
      }
      await interrupt(turn);
    }
  }
  if (!isCopy) await endUnknownTurns(loop);
}

/** A lost ledger leaves turns that nobody knows of. */
async function endUnknownTurns({ deps, endProcesses }: Loop): Promise<void> {
  const { turns, jobs } = deps.ledger;
  for (const name of unfinishedTurnFolders(deps.room)) {
    if (turns.get(name) !== null || jobs.get(name) !== null) continue;
    await endProcesses(name);
    closeTurnFolder(deps.room, name);
  }
}

async function canAdopt(loop: Loop, turn: TurnRecord): Promise<boolean> {
  const dir = turnDir(loop.deps.room, turn.id);
  const found = loop.agents.find(turn.agent);
  if (typeof found === 'string' || !found.runner.survives || !existsSync(dir)) return false;
  return loop.isOut(turn.id) || !(await loop.claimUnstarted(dir));
}
