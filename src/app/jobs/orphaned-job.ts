// Ending a job whose daemon died, from a command: what still runs of it is ended, then that is put on record.
import type { JobEnd, JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { recordJobEnd } from '../../tasks/turns/jobs.ts';
import { jobDir, writeJobResult } from './job-folder.ts';

export async function endOrphanedJob(deps: TaskRoom, job: JobRecord): Promise<void> {
  const { endOrphan } = await import('../../agents/process/end-orphan.ts');
  await endOrphan(deps.room.dir, jobDir(deps.room, job.id), job.id, deps.effects);
  const end: JobEnd = {
    state: 'killed',
    reason: job.stop ?? 'person',
    exitCode: null,
    signal: null,
    message: 'stopped while nothing ran the room',
    endedAt: deps.effects.now(),
    pausedMs: 0,
  };
  writeJobResult(deps.room, job.id, end);
  recordJobEnd(deps, job, end);
}

/** The same with all jobs of a turn but those that it keeps. */
export async function endJobsOfTurn(deps: TaskRoom, turn: string): Promise<void> {
  for (const job of deps.ledger.jobs.active()) {
    if (job.turn !== turn || job.keep) continue;
    await endOrphanedJob(deps, { ...job, stop: 'turn_over' });
  }
}
