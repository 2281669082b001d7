// The end of a job: asked for, and put on record. The end of a job that outlived its turn wakes its task.
import { RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { JobEnd, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { assertMayChange } from '../change/change.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { JobJson } from '../shapes/job.ts';
import { type Actor, type TaskRoom, titleOfAgent } from '../task-room.ts';
import { findJob, isActive, viewOfJob } from './read-jobs.ts';

/** With a daemon it is asked to, and the record returned is that of the job still running. */
export async function stopJob(handle: RoomHandle, word: string, actor: Actor): Promise<JobJson> {
  const { deps, ports } = handle;
  if (actor.kind === 'assistant')
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} may run no programs, and so stops no jobs`, {
      hint: 'ask the person to: taskroom job stop',
    });
  const job = findJob(handle, word);
  const task = deps.ledger.tasks.get(job.task);
  assertMayChange(deps, actor, {
    id: job.task,
    task: { name: task?.name ?? job.task, parent: task?.parent ?? null, owner: task?.owner ?? null },
  });
  if (!isActive(job))
    throw new RoomError('refused', `job ${job.id} is over: ${job.state}`, {
      hint: 'see what runs: taskroom job',
    });
  deps.ledger.jobs.askToStop(job.id, 'person');
  if (ports.daemonRuns()) {
    deps.ledger.messages.send({ kind: 'jobs' }, deps.effects.now());
    ports.ring();
  } else await ports.endJob?.(deps.ledger.jobs.get(job.id)!);
  return viewOfJob(deps.ledger.jobs.get(job.id) ?? job);
}

/**
 * Puts the end of a job on record, once.
 * @returns whether its task was woken by it
 */
export function recordJobEnd({ ledger }: Pick<TaskRoom, 'ledger'>, job: JobRecord, end: JobEnd): boolean {
  return ledger.transaction(() => {
    if (!ledger.jobs.end(job.id, end) || !job.keep) return false;
    return wakeForJob(ledger, job, end.endedAt);
  });
}

/** A turn that ended without having been told of a job's end misses it. Returns whether one woke the task. */
export function wakeForUntold({ ledger, effects }: TaskRoom, turn: string): boolean {
  const task = ledger.jobs
    .list({})
    .filter((job) => job.turn === turn && job.keep && !job.told && !isActive(job));
  return task.map((job) => wakeForJob(ledger, job, effects.now())).includes(true);
}

/** While the turn runs that asked for it, that turn can look itself. */
function wakeForJob(ledger: TaskRoom['ledger'], job: JobRecord, atMs: number): boolean {
  const running = ledger.turns.runningOn(threadOfTask(job.task));
  if (running !== null && running.id === job.turn) return false;
  const task = ledger.tasks.get(job.task);
  if (task === null || task.path === null || isFinished(task.status)) return false;
  ledger.wakes.add(job.task, 'job_ended', atMs);
  return true;
}
