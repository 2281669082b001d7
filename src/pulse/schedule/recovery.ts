// What a runtime that died left behind: turns that run on, ended meanwhile or never started. Each is adopted or
// recorded as interrupted; none stays running, and none whose program ended is run again.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { choreOfThread, taskOfThread } from '../../core/ids.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { Room } from '../../store/room.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Agents } from '../runnable-agents.ts';
import { turnDir, unfinishedTurnFolders } from '../turn/turn-folder.ts';
import type { Turns } from '../turn/turns.ts';
import type { Scheduler } from './scheduler.ts';

export interface RecoveryOptions {
  deps: TaskRoom;
  agents: Pick<Agents, 'runnerOf'>;
  scheduler: Pick<Scheduler, 'adopt'>;
  turns: Pick<Turns, 'interrupt'>;
  /** Carries out what the agent of a turn that is over reported while nothing ran. */
  drainReports(turn: TurnRecord): Promise<void>;
  /** Ends what is left running of a turn that nobody follows any more. */
  endProcesses(turn: string): Promise<void>;
  /** Marks a turn's folder, which no record names, as over. */
  closeTurnFolder(turn: string): void;
  /** Whether a turn is out at a worker. */
  isOut(turn: string): boolean;
  /** Claims a turn whose process never came to be; false when one is or was there. */
  claimUnstarted(dir: string): Promise<boolean>;
}

/** Where a room lies, to tell a copy of it from the room itself. */
export function roomIdentity(room: Room): string {
  const stat = statSync(room.dir, { bigint: true });
  return `${stat.dev}:${stat.ino}`;
}

/** Takes up every turn on record as running. In a copied room they are interrupted, and their threads wait for a person. */
export async function recoverTurns(options: RecoveryOptions): Promise<void> {
  const { deps } = options;
  const { meta, turns, tasks, chores } = deps.ledger;
  const here = roomIdentity(deps.room);
  const copied = (meta.get('room') ?? here) !== here && copiedFrom(deps, here);
  meta.set('room', here);
  meta.set('room.dir', deps.room.dir);
  for (const turn of turns.running()) {
    if (copied) {
      // The processes are the other room's: neither touched nor repeated by surprise.
      await options.turns.interrupt(turn);
      const chore = choreOfThread(turn.thread);
      const task = taskOfThread(turn.thread);
      if (task !== null) tasks.update(task, { held: true });
      else if (chore !== null) chores.update(chore, { endedAt: deps.effects.now() });
    } else if (await canAdopt(options, turn)) options.scheduler.adopt(turn);
    else {
      // An agent that talked to the dead runtime may live on; what it reported before counts.
      await options.endProcesses(turn.id);
      if (existsSync(turnDir(deps.room, turn.id))) await options.drainReports(turn);
      await options.turns.interrupt(turn);
    }
  }
  if (!copied) await endUnknownTurns(options);
}

/** A lost ledger leaves turns that nobody knows of. */
async function endUnknownTurns({ deps, endProcesses, closeTurnFolder }: RecoveryOptions): Promise<void> {
  for (const name of unfinishedTurnFolders(deps.room)) {
    const { turns, jobs } = deps.ledger;
    if (turns.get(name) !== null || jobs.get(name) !== null) continue;
    await endProcesses(name);
    closeTurnFolder(name);
  }
}

// A moved room has left its old place; a copied one finds the original still there.
function copiedFrom(deps: TaskRoom, here: string): boolean {
  const dir = deps.ledger.meta.get('room.dir');
  if (dir === null || dir === deps.room.dir) return false;
  const other = statSync(join(dir, '.taskroom'), { throwIfNoEntry: false });
  return other !== undefined && here !== '';
}

async function canAdopt(options: RecoveryOptions, turn: TurnRecord): Promise<boolean> {
  const runner = options.agents.runnerOf(turn.agent);
  const dir = turnDir(options.deps.room, turn.id);
  if (!runner?.survives || !existsSync(dir)) return false;
  if (options.isOut(turn.id)) return true;
  return !(await options.claimUnstarted(dir));
}
