// Looking at jobs, and waiting for the end of one.

import { RoomError } from '../../core/errors.ts';
import { threadOfJob } from '../../core/ids.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import { sleep } from '../../effects.ts';
import type { JobRecord } from '../../store/ledger/turns/jobs.ts';
import { locateTask } from '../find/locate.ts';
import { idOfRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { JobJson, JobReading } from '../shapes/job.ts';
import { type Actor, isAgent, turnOfActor } from '../task-room.ts';
import { readOutput } from '../turn-output.ts';

/** Longest a caller is kept waiting, seconds; an agent asks again, since other requests of its turn come between. */
const MAX_WAIT = 600;
const MAX_WAIT_OF_AGENT = 2;
const LOOK_EVERY_MS = 100;

export function viewOfJob(job: JobRecord): JobJson {
  const { id, kind, task, turn, agent, command, description, keep, watch, state, reason } = job;
  const { signal, pid, message, told } = job;
  return {
    ...{
      id,
      kind,
      thread: threadOfJob(id),
      task,
      turn,
      agent,
      command,
      description,
      keep,
      watch,
      state,
      reason,
    },
    asked_at: new Date(job.askedAt).toISOString(),
    started_at: isoOrNull(job.startedAt),
    ended_at: isoOrNull(job.endedAt),
    ...{ paused_ms: job.pausedMs, exit_code: job.exitCode, signal, pid, message },
    ...{ tool_call: job.toolCall, told, output_path: `.taskroom/turns/${id}/output.log` },
  };
}

export function isActive({ state }: Pick<JobRecord, 'state'>): boolean {
  return state === 'pending' || state === 'running';
}

/** @throws RoomError `not_found`, `ambiguous` */
export function findJob({ deps }: RoomHandle, word: string): JobRecord {
  const id = word.trim();
  const exact = deps.ledger.jobs.get(id);
  if (exact !== null) return exact;
  const begun = id.length < 2 ? [] : deps.ledger.jobs.byPrefix(id, 5);
  if (begun.length === 1) return begun[0]!;
  if (begun.length === 0)
    throw new RoomError('not_found', `no job ${JSON.stringify(word)}`, { hint: 'see: taskroom job' });
  const list = begun.map((job) => `${job.id} (${job.description})`).join(', ');
  throw new RoomError('ambiguous', `${JSON.stringify(word)} fits more than one job: ${list}`, {
    hint: 'give more letters of the id',
  });
}

export async function listJobs(
  handle: RoomHandle,
  { task: ref }: { task?: string },
): Promise<{ jobs: JobJson[] }> {
  const { jobs, tasks } = handle.deps.ledger;
  if (ref === undefined) return { jobs: jobs.list({}).map(viewOfJob) };
  const task = tasks.get(idOfRef(ref))?.id ?? (await locateTask(handle, ref)).id;
  return { jobs: task === null ? [] : jobs.list({ task }).map(viewOfJob) };
}

export async function readJob(
  handle: RoomHandle,
  word: string,
  { offset = 0, limit, wait = 0 }: { offset?: number; limit?: number; wait?: number },
  actor: Actor,
): Promise<JobReading> {
  const { effects, ledger } = handle.deps;
  const { id } = findJob(handle, word);
  const turn = turnOfActor(actor);
  const most = isAgent(actor) ? MAX_WAIT_OF_AGENT : MAX_WAIT;
  const until = effects.monotonicMs() + Math.min(wait, most) * 1_000;
  for (;;) {
    const job = ledger.jobs.get(id)!;
    const left = until - effects.monotonicMs();
    // Its agent knows of the end of its own job then.
    if (!isActive(job) && turn !== null && turn === job.turn) ledger.jobs.setTold([id]);
    if (!isActive(job) || left <= 0) {
      const { text, next, size } = await readOutput(handle, id, offset, limit);
      return { ...viewOfJob(job), output: text, output_offset: next, output_bytes: size };
    }
    await sleep(effects, Math.min(LOOK_EVERY_MS, left));
  }
}
