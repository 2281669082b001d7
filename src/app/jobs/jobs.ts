// The jobs of a room while its daemon runs. What is to start and to end follows from the ledger at each look; only the runs are kept here.
import { claimUnstarted } from '../../agents/process/process-identity.ts';
import { redactorFor } from '../../agents/process/run-check.ts';
import { StopTurn } from '../../agents/runner.ts';
import { hasCode, isPassing, isRoomError } from '../../core/errors.ts';
import { type TurnId, threadOfTask } from '../../core/ids.ts';
import { matchesWatch, watchWords } from '../../core/rules/watch.ts';
import { sleep } from '../../effects.ts';
import type { Client } from '../../operations/client.ts';
import type { JobEvents, Workspaces } from '../../pulse/ports.ts';
import type { JobReason, JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { wakeForUntold } from '../../tasks/turns/jobs.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import { endJob, type JobRun, jobDir, killed, runJob } from './run-job.ts';

type JobsOptions = { deps: TaskRoom; tasks: Client; workspaces: Pick<Workspaces, 'agentIn'> };
export type RoomJobs = ReturnType<typeof createJobs>;

export function createJobs(options: JobsOptions) {
  const { deps } = options;
  const { jobs } = deps.ledger;
  const runs = new Map<TurnId, { stop: AbortController; done: Promise<void> }>();
  const letGo = new AbortController();
  let events: JobEvents = { onDue: () => undefined, onTrouble: () => undefined };

  function start(job: JobRecord, adopt: boolean): void {
    const stop = new AbortController();
    const done = follow({ ...options, ...events }, job, stop, adopt, letGo.signal)
      .then((isDue) => void (isDue && events.onDue(job.task)))
      .catch(events.onTrouble)
      .finally(() => runs.delete(job.id));
    runs.set(job.id, { stop, done });
  }

  function look(): void {
    if (letGo.signal.aborted) return;
    try {
      for (const job of jobs.active()) {
        const reason = job.stop ?? reasonToEnd(deps, job);
        if (reason !== null) jobs.askToStop(job.id, reason);
        const running = runs.get(job.id);
        if (running === undefined) start(jobs.get(job.id)!, job.state === 'running');
        else if (reason !== null) running.stop.abort(new StopTurn('person'));
      }
    } catch (error) {
      events.onTrouble(error);
    }
  }

  return {
    /** From now on there is a loop; nothing is started yet. */
    async open(given: JobEvents) {
      events = given;
      for (const job of jobs.active())
        if (job.state === 'pending' && (await wasStarted(deps, job)))
          jobs.setStarted(job.id, deps.effects.now());
    },
    /** Follows the jobs of an earlier runtime, starts pending ones, and ends those that are to end. Never throws. */
    look,
    /** Ends the jobs of a turn but those that outlive it; resolves when none of their processes is alive. */
    async endOf(turn: TurnId) {
      const own = jobs.active().filter((job) => job.turn === turn && !job.keep);
      for (const { id } of own) jobs.askToStop(id, 'turn_over');
      look();
      await Promise.all(own.map(({ id }) => runs.get(id)?.done));
      if (!wakeForUntold(deps, turn)) return;
      const task = jobs.list({}).find((job) => job.turn === turn)?.task;
      if (task !== undefined) events.onDue(task);
    },
    /** Lets the processes run on; the next runtime follows them. */
    async close() {
      letGo.abort();
      await Promise.all([...runs.values()].map(({ done }) => done));
    },
  };
}

/** Why a job is to end though nobody asked for it; null when it may go on. */
function reasonToEnd({ ledger }: TaskRoom, job: JobRecord): JobReason | null {
  const task = ledger.tasks.get(job.task);
  const isGone = task === null || (task.path === null && task.archived === null);
  if (isGone || task.status === 'canceled') return 'canceled';
  if (job.keep || job.turn === null) return null;
  return ledger.turns.get(job.turn)?.state === 'running' ? null : 'turn_over';
}

/** A runtime may have died between the start of a pending job and its record. */
async function wasStarted({ room }: TaskRoom, { id }: JobRecord): Promise<boolean> {
  try {
    return (await claimUnstarted(jobDir(room, id))) !== 'claimed';
  } catch (error) {
    // Its folder was never made.
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

const RECORD_AGAIN_MS = 1_000;

/** Resolves when the job's end is on record, with whether that woke its task; or, with false, when the job was let go. */
async function follow(
  { deps, tasks, workspaces, onTrouble }: JobsOptions & JobEvents,
  job: JobRecord,
  stop: AbortController,
  adopt: boolean,
  letGo: AbortSignal,
): Promise<boolean> {
  const config = deps.agents().get(job.agent);
  const agent =
    config === undefined ? null : atWork(deps, workspaces.agentIn(job.task, config), threadOfTask(job.task));
  const run: JobRun = { deps, job, agent, stop, onTick: () => report(false) };
  const redact = redactorFor(run.agent, run.deps.effects);
  async function report(whole: boolean): Promise<void> {
    try {
      await watchOutput(deps, tasks, job, redact, whole);
    } catch (error) {
      // The task's file is gone or broken, or the disk refuses: the next look reads the same output again.
      if (!isRoomError(error)) throw error;
    }
  }
  if (job.stop !== null) stop.abort(new StopTurn('person'));
  const end =
    !adopt && job.stop !== null
      ? killed(deps, job, 'stopped before it started')
      : await runJob(run, adopt, letGo);
  if (end === null) return false;
  await report(true);
  // Only this process knows how the job ended, so it records that again until disk and ledger take it.
  for (;;) {
    try {
      return endJob(deps, job, end);
    } catch (error) {
      if (!isPassing(error) || letGo.aborted) throw error;
      onTrouble(error);
      await sleep(deps.effects, RECORD_AGAIN_MS, letGo);
    }
  }
}

const MAX_LINES = 20; // A monitor reports at most so many lines in all.
const MAX_LINE = 300;
const READ_BYTES = 256 * 1024;

/** Notes the lines that match, of the output since the last look. The place is recorded after the lines are noted.
 * @param whole the job ended: the last line counts without a line end */
async function watchOutput(
  { ledger }: TaskRoom,
  tasks: Client,
  { id, task, watch, description }: JobRecord,
  redact: (text: string) => string,
  whole: boolean,
): Promise<void> {
  if (watch === null) return;
  const words = watchWords(watch);
  const by = { kind: 'runtime' } as const;
  for (;;) {
    const { watched, reported } = ledger.jobs.get(id) ?? { watched: 0, reported: MAX_LINES };
    if (reported >= MAX_LINES) return;
    const asked = { turn: id, offset: watched, limit: READ_BYTES };
    const { text, next } = await tasks.call('turnOutput', asked, by);
    const isLast = next - watched < READ_BYTES / 2;
    const end = whole && isLast ? text.length : text.lastIndexOf('\n') + 1;
    // A line longer than one read is taken in parts.
    const taken = end === 0 && !isLast ? text : text.slice(0, end);
    if (taken === '') return;
    const lines = taken
      .split('\n')
      .map((line, nth) => ({ line, key: `${id}:${watched}:${nth}` }))
      .filter(({ line }) => matchesWatch(words, line))
      .slice(0, MAX_LINES - reported);
    for (const [at, { line, key }] of lines.entries()) {
      const more = reported + at + 1 === MAX_LINES ? ' (the last one that is noted)' : '';
      const said = `${description}: ${redact(line).trim().slice(0, MAX_LINE)}${more}`;
      await tasks.call('note', { ref: task, text: said, key }, by);
    }
    const looked = { watched: watched + Buffer.byteLength(taken), reported: reported + lines.length };
    ledger.jobs.update(id, looked);
    if (isLast) return;
  }
}
