// The end of a job on record: in its folder turns/<id>/, in the ledger, and for a job whose daemon died, also of its processes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobEnd, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { onDisk, type Room } from '../../store/room.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { recordJobEnd } from '../../tasks/turns/jobs.ts';

export const jobDir = (room: Room, id: string) => join(room.turnsDir, id);

/** Returns whether the end woke the job's task. @throws RoomError `io`, `locked`, `room_gone` */
export function endJob(deps: TaskRoom, job: JobRecord, end: JobEnd): boolean {
  const dir = jobDir(deps.room, job.id);
  const { exitCode, endedAt, ...rest } = end;
  const result = { job: job.id, ...rest, exit_code: exitCode, ended_at: new Date(endedAt).toISOString() };
  onDisk(dir, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  });
  return recordJobEnd(deps, job, end);
}

export const killed = ({ effects }: TaskRoom, job: JobRecord, message: string): JobEnd => ({
  ...{ state: 'killed', reason: job.stop ?? 'person', message, endedAt: effects.now() },
  ...{ exitCode: null, signal: null, pausedMs: 0 },
});

/** Ends a job from a command while no daemon runs: first what still runs of it, then its record. */
export async function endOrphanedJob(deps: TaskRoom, job: JobRecord): Promise<void> {
  const { endOrphan } = await import('../../agents/process/terminate.ts');
  await endOrphan(deps.room.dir, jobDir(deps.room, job.id), job.id, deps.effects);
  endJob(deps, job, killed(deps, job, 'stopped while nothing ran the room'));
}

/** The same with all jobs of a turn but those that it keeps. */
export async function endJobsOfTurn(deps: TaskRoom, turn: string): Promise<void> {
  for (const job of deps.ledger.jobs.active())
    if (job.turn === turn && !job.keep) await endOrphanedJob(deps, { ...job, stop: 'turn_over' });
}
