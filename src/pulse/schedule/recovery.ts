// What a runtime that died left behind: turns that run on, ended meanwhile or never started. Each is adopted or
// recorded as interrupted; none stays running, and none whose program ended is run again.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { choreOfThread, taskOfThread } from '../../core/ids.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { Room } from '../../store/room.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';
import { turnDir, unfinishedTurnFolders } from '../turn/turn-folder.ts';
import type { Turns } from '../turn/turns.ts';
import type { Scheduler } from './scheduler.ts';

/** Takes up every turn on record as running. In a copied room they are interrupted, and their threads wait for a person. */
export async function recoverTurns(
  base: Base,
  scheduler: Pick<Scheduler, 'adopt'>,
  { interrupt }: Pick<Turns, 'interrupt'>,
): Promise<void> {
  const { deps } = base;
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
    } else if (await canAdopt(base, turn)) scheduler.adopt(turn);
    else {
      // An agent that talked to the dead runtime may live on; what it reported before counts.
      await base.endProcesses(turn.id);
      if (existsSync(turnDir(deps.room, turn.id))) await drainReports(base, turn);
      await interrupt(turn);
    }
  }
  if (!isCopy) await endUnknownTurns(base);
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
async function drainReports({ bridges, onTrouble }: Base, { id }: TurnRecord): Promise<void> {
  const bridge = await bridges.open(id, onTrouble);
  await bridge.drain().finally(() => bridge.close());
}

/** A lost ledger leaves turns that nobody knows of. */
async function endUnknownTurns({ deps, endProcesses, closeTurnFolder }: Base): Promise<void> {
  const { turns, jobs } = deps.ledger;
  for (const name of unfinishedTurnFolders(deps.room)) {
    if (turns.get(name) !== null || jobs.get(name) !== null) continue;
    await endProcesses(name);
    closeTurnFolder(name);
  }
}

async function canAdopt(base: Base, turn: TurnRecord): Promise<boolean> {
  const dir = turnDir(base.deps.room, turn.id);
  if (!base.agents.runnerOf(turn.agent)?.survives || !existsSync(dir)) return false;
  return base.isOut(turn.id) || !(await base.claimUnstarted(dir));
}
