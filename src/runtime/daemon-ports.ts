// What the operations on tasks ask of the daemon, where there is one: whether it runs, to look at the ledger, and to
// end what a dead one left running.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Effects } from '../effects.ts';
import { currentHolder } from '../store/lock/locks.ts';
import { onDisk, type Room } from '../store/room.ts';
import type { KeptIndex, OperationPorts } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { recordKilled } from '../tasks/turn-records.ts';
import { readAgentFacts } from './agent-facts.ts';

/** Of this process: whether it is the daemon, and what it keeps in memory then. */
export interface OwnDaemon {
  runs: boolean;
  index: KeptIndex | null;
}

export function daemonPorts(deps: TaskRoom, own: OwnDaemon): OperationPorts {
  const { room, effects } = deps;
  const isHeld = () => currentHolder(room) !== null;
  return {
    daemonRuns: () => own.runs || isHeld(),
    isGuest: () => !own.runs && isHeld(),
    agentFacts: () => readAgentFacts(deps, !own.runs && isHeld()),
    index: () => own.index,
    ring: () => ring(room, effects),
    async takeInArtifacts(handle) {
      const { takeInArtifacts } = await import('../tasks/plans/take-in-artifacts.ts');
      await takeInArtifacts(handle);
    },
    async killOrphan(turn, reason) {
      const { endTurn } = await import('../runners/process/end-orphan.ts');
      await endTurn(room.dir, join(room.turnsDir, turn.id), turn.id, effects);
      recordKilled(deps, turn, reason);
      await (await orphanedJobs()).endJobsOfTurn(deps, turn.id);
    },
    endJob: async (job) => (await orphanedJobs()).endOrphanedJob(deps, job),
  };
}

const orphanedJobs = () => import('./jobs/orphaned-job.ts');

/** A new time on the wake file: a daemon that watches it looks at the ledger. */
function ring({ wakePath }: Room, effects: Effects): void {
  onDisk(wakePath, () => touch(wakePath, effects));
}

function touch(wakePath: string, effects: Effects): void {
  if (!existsSync(wakePath)) {
    mkdirSync(dirname(wakePath), { recursive: true });
    writeFileSync(wakePath, '');
  }
  const seconds = effects.now() / 1000;
  utimesSync(wakePath, seconds, seconds);
}
