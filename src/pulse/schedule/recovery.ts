// What a runtime that died left behind: turns that run on, ended meanwhile or never started. Each is adopted or
// recorded as interrupted; none stays running, and none whose program ended is run again.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { choreOfThread, taskOfThread } from '../../core/ids.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { Room } from '../../store/room.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Loop } from '../state/loop.ts';
import { turnDir, unfinishedTurnFolders } from '../turn/turn-folder.ts';
import type { Turns } from '../turn/turns.ts';
import type { Scheduler } from './scheduler.ts';

/** Takes up every turn on record as running. In a copied room they are interrupted, and their threads wait for a person. */
export async function recoverTurns(
  loop: Loop,
  scheduler: Pick<Scheduler, 'adopt'>,
  { interrupt }: Pick<Turns, 'interrupt'>,
): Promise<void> {
  const { deps } = loop;
  const { meta, turns, tasks, chores } = deps.ledger;
  const here = roomIdentity(deps.room);
  const isCopy = (meta.get('room') ?? here) !== here && isOriginalThere(deps);
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
      if (existsSync(turnDir(deps.room, turn.id))) await drainReports(loop, turn);
      await interrupt(turn);
    }
  }
  if (!isCopy) await endUnknownTurns(loop);
}

/** Where a room lies, to tell a copy of it from the room itself. */
export function roomIdentity(room: Room): string {
  const stat = statSync(room.dir, { bigint: true });
  return `${stat.dev}:${stat.ino}`;
}

// A moved room has left its old place; a copied one finds the original still there.
function isOriginalThere({ ledger, room }: TaskRoom): boolean {
  const dir = ledger.meta.get('room.dir');
  return dir !== null && dir !== room.dir && existsSync(join(dir, '.taskroom'));
}

/** Carries out what the agent of a turn that is over reported while nothing ran. */
async function drainReports({ bridges, onTrouble }: Loop, { id }: TurnRecord): Promise<void> {
  const bridge = await bridges.open(id, onTrouble);
  await bridge.drain().finally(() => bridge.close());
}

/** A lost ledger leaves turns that nobody knows of. */
async function endUnknownTurns({ deps, endProcesses, closeTurnFolder }: Loop): Promise<void> {
  const { turns, jobs } = deps.ledger;
  for (const name of unfinishedTurnFolders(deps.room)) {
    if (turns.get(name) !== null || jobs.get(name) !== null) continue;
    await endProcesses(name);
    closeTurnFolder(name);
  }
}

async function canAdopt(loop: Loop, turn: TurnRecord): Promise<boolean> {
  const dir = turnDir(loop.deps.room, turn.id);
  const found = loop.agents.find(turn.agent);
  if (typeof found === 'string' || !found.runner.survives || !existsSync(dir)) return false;
  return loop.isOut(turn.id) || !(await loop.claimUnstarted(dir));
}
