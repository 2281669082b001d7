// Looking at jobs, and waiting for the end of one.

import { RoomError } from '../../core/errors.ts';
import { threadOfJob } from '../../core/ids.ts';
import { sleep } from '../../effects.ts';
import type { JobReading, JobReadOptions, JobRecord, JobView } from '../contract/jobs.ts';
import { locateTask } from '../find/locate.ts';
import { idOfRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import { readOutput } from '../turn-output.ts';

/** Longest a caller is kept waiting, ms. */
const MAX_WAIT_MS = 10 * 60_000;
const LOOK_EVERY_MS = 100;

export function viewOfJob(job: JobRecord): JobView {
  return { ...job, thread: threadOfJob(job.id), outputPath: `.taskroom/turns/${job.id}/output.log` };
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

export async function listJobs(handle: RoomHandle, { ref }: { ref?: string }): Promise<JobView[]> {
  const { jobs, tasks } = handle.deps.ledger;
  if (ref === undefined) return jobs.list({}).map(viewOfJob);
  const task = tasks.get(idOfRef(ref))?.id ?? (await locateTask(handle, ref)).id;
  return task === null ? [] : jobs.list({ task }).map(viewOfJob);
}

export async function readJob(
  handle: RoomHandle,
  word: string,
  options: JobReadOptions = {},
): Promise<JobReading> {
  const { effects, ledger } = handle.deps;
  const { offset = 0, limit, waitMs = 0 } = options;
  const { id } = findJob(handle, word);
  const until = effects.monotonicMs() + Math.min(waitMs, MAX_WAIT_MS);
  for (;;) {
    const job = ledger.jobs.get(id)!;
    const left = until - effects.monotonicMs();
    if (!isActive(job) && options.turn !== undefined && options.turn === job.turn) ledger.jobs.setTold([id]);
    if (!isActive(job) || left <= 0)
      return { ...viewOfJob(job), output: await readOutput(handle, id, offset, limit) };
    await sleep(effects, Math.min(LOOK_EVERY_MS, left));
  }
}
