// The jobs of a room while its daemon runs: what is on record as pending is started, what an earlier daemon left is taken
// up, and what is to end is ended. All of it follows from the ledger each time it is looked at; here stand only the runs.

import { claimUnstarted } from '../../agents/process/process-identity.ts';
import { StopTurn } from '../../agents/runner.ts';
import { isPassing, isRoomError } from '../../core/errors.ts';
import { type TurnId, threadOfTask } from '../../core/ids.ts';
import { matchesWatch, watchWords } from '../../core/rules/watch.ts';
import { sleep } from '../../effects.ts';
import type { Client } from '../../operations/client.ts';
import type { JobEvents, Jobs, Workspaces } from '../../pulse/ports.ts';
import type { JobEnd, JobReason, JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { recordJobEnd, wakeForUntold } from '../../tasks/turns/jobs.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import { jobDir, writeJobResult } from './job-folder.ts';
import { type JobRun, redactorFor, runJob } from './run-job.ts';

/** Lines that a monitor reports in all. */
const MAX_LINES = 20;
const MAX_LINE = 300;
const READ_BYTES = 256 * 1024;

/**
 * Looks through what was printed since the last look. What was looked through is on record after its lines are noted.
 * @param whole the job ended: a last line without an end is one too
 */
async function watchOutput(
  { ledger }: TaskRoom,
  tasks: Client,
  { id, task, watch, description }: JobRecord,
  redact: (text: string) => string,
  whole: boolean,
): Promise<void> {
  if (watch === null) return;
  const words = watchWords(watch);
  for (;;) {
    const { watched, reported } = ledger.jobs.get(id) ?? { watched: 0, reported: MAX_LINES };
    if (reported >= MAX_LINES) return;
    const { text, next } = await tasks.call(
      'turnOutput',
      { turn: id, offset: watched, limit: READ_BYTES },
      { kind: 'runtime' },
    );
    const isLast = next - watched < READ_BYTES / 2;
    const end = whole && isLast ? text.length : text.lastIndexOf('\n') + 1;
    // A line longer than all that is read at once is looked at in parts.
    const taken = end === 0 && !isLast ? text : text.slice(0, end);
    if (taken === '') return;
    let count = reported;
    for (const [nth, line] of taken.split('\n').entries()) {
      if (count >= MAX_LINES || !matchesWatch(words, line)) continue;
      count += 1;
      const more = count === MAX_LINES ? ' (the last one that is noted)' : '';
      const said = `${description}: ${redact(line).trim().slice(0, MAX_LINE)}${more}`;
      const key = `${id}:${watched}:${nth}`;
      await tasks.call('note', { ref: task, text: said, key }, { kind: 'runtime' });
    }
    ledger.jobs.update(id, { watched: watched + Buffer.byteLength(taken), reported: count });
    if (isLast) return;
  }
}

export interface JobsOptions {
  deps: TaskRoom;
  tasks: Client;
  workspaces: Pick<Workspaces, 'agentIn'>;
}

interface Kept {
  stop: AbortController;
  done: Promise<void>;
}

/** What the runtime itself asks of jobs, beside the loop. */
export interface RoomJobs extends Jobs {
  /** Ends the jobs of a turn but those that it keeps; resolves when nothing of them is alive. */
  endOf(turn: TurnId): Promise<void>;
}

const RECORD_AGAIN_MS = 1_000;

export function createJobs(options: JobsOptions): RoomJobs {
  const { deps } = options;
  const { jobs } = deps.ledger;
  const kept = new Map<TurnId, Kept>();
  const letGo = new AbortController();
  let events: JobEvents = { onDue: () => undefined, onTrouble: () => undefined };

  function keep(job: JobRecord, adopt: boolean): void {
    const stop = new AbortController();
    const done = follow({ ...options, ...events }, job, stop, adopt, letGo.signal)
      .then((isDue) => {
        if (isDue) events.onDue(job.task);
      })
      .catch(events.onTrouble)
      .finally(() => kept.delete(job.id));
    kept.set(job.id, { stop, done });
  }

  function look(): void {
    if (letGo.signal.aborted) return;
    try {
      for (const job of jobs.active()) {
        const reason = job.stop ?? reasonToEnd(deps, job);
        if (reason !== null) jobs.askToStop(job.id, reason);
        const running = kept.get(job.id);
        if (running === undefined) keep(jobs.get(job.id)!, job.state === 'running');
        else if (reason !== null) running.stop.abort(new StopTurn('person'));
      }
    } catch (error) {
      events.onTrouble(error);
    }
  }

  return {
    async open(told) {
      events = told;
      for (const job of jobs.active())
        if (job.state === 'pending' && (await wasStarted(deps, job)))
          jobs.setStarted(job.id, deps.effects.now());
    },
    look,
    async endOf(turn) {
      const own = jobs.active().filter((job) => job.turn === turn && !job.keep);
      for (const { id } of own) jobs.askToStop(id, 'turn_over');
      look();
      await Promise.all(own.map(({ id }) => kept.get(id)?.done));
      if (wakeForUntold(deps, turn)) {
        const task = jobs.list({}).find((job) => job.turn === turn)?.task;
        if (task !== undefined) events.onDue(task);
      }
    },
    async close() {
      letGo.abort();
      await Promise.all([...kept.values()].map(({ done }) => done));
    },
  };
}

/** Why a job is to end though nobody asked for it; null when it may go on. */
function reasonToEnd({ ledger }: TaskRoom, job: JobRecord): JobReason | null {
  const task = ledger.tasks.get(job.task);
  const isGone =
    task === null || (task.path === null && task.archived === null) || task.status === 'canceled';
  if (isGone) return 'canceled';
  if (job.keep || job.turn === null) return null;
  return ledger.turns.get(job.turn)?.state === 'running' ? null : 'turn_over';
}

/** One that was on record as pending may have been started by a runtime that died before it could say so. */
async function wasStarted({ room }: TaskRoom, { id }: JobRecord): Promise<boolean> {
  try {
    return (await claimUnstarted(jobDir(room, id))) !== 'claimed';
  } catch (error) {
    // Its folder was never made.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

type Following = JobsOptions & JobEvents;

/** Resolves when its end is on record, with whether that woke its task; or when it was let go. */
async function follow(
  options: Following,
  job: JobRecord,
  stop: AbortController,
  adopt: boolean,
  letGo: AbortSignal,
): Promise<boolean> {
  const { deps, tasks, workspaces } = options;
  const config = deps.agents().get(job.agent);
  const agent =
    config === undefined ? null : atWork(deps, workspaces.agentIn(job.task, config), threadOfTask(job.task));
  const why = () => deps.ledger.jobs.get(job.id)?.stop ?? null;
  const run: JobRun = { deps, job, agent, stop, why, onTick: () => report(false) };
  const redact = redactorFor(run);
  async function report(whole: boolean): Promise<void> {
    try {
      await watchOutput(deps, tasks, job, redact, whole);
    } catch (error) {
      // The task's file is gone or broken, or the disk refuses: what was not noted is looked at again.
      if (!isRoomError(error)) throw error;
    }
  }
  if (job.stop !== null) stop.abort(new StopTurn('person'));
  const end = adopt || job.stop === null ? await runJob(run, adopt, letGo) : neverStarted(deps, job.stop);
  if (end === null) return false;
  await report(true);
  return recordDurably(options, job, end, letGo);
}

function neverStarted({ effects }: TaskRoom, reason: JobReason): JobEnd {
  const endedAt = effects.now();
  const none = { exitCode: null, signal: null, pausedMs: 0 };
  return { state: 'killed', reason, message: 'stopped before it started', endedAt, ...none };
}

/** How it ended is known here alone: while disk or ledger refuse, recording it is tried again. */
async function recordDurably(
  { deps, onTrouble }: Following,
  job: JobRecord,
  end: JobEnd,
  letGo: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      writeJobResult(deps.room, job.id, end);
      return recordJobEnd(deps, job, end);
    } catch (error) {
      if (!isPassing(error) || letGo.aborted) throw error;
      onTrouble(error);
      await sleep(deps.effects, RECORD_AGAIN_MS, letGo);
    }
  }
}
