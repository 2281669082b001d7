// One job from its start, or from where an earlier runtime left it, to its end on record: its folder turns/<id>/, and its process under the
// wrapper, bounded in time and output.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareLaunch } from '../../agents/process/launch.ts';
import { readLastLine, signalOf } from '../../agents/process/output-log.ts';
import {
  CONTEXT_FILE,
  EXIT_FILE,
  PID_FILE,
  PROMPT_FILE,
  SHELL,
} from '../../agents/process/process-identity.ts';
import { redactorFor } from '../../agents/process/run-check.ts';
import { type ProcessEnd, runProcess } from '../../agents/process/run-process.ts';
import { endOrphan } from '../../agents/process/terminate.ts';
import { StopTurn } from '../../agents/runner.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { pausedBetween } from '../../core/time/durations.ts';
import type { JobEnd, JobReason, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { onDisk, type Room } from '../../store/room.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { recordJobEnd } from '../../tasks/turns/jobs.ts';
import { turnReach } from '../bridge/bridge-folder.ts';

export interface JobRun {
  deps: TaskRoom;
  job: JobRecord;
  agent: AgentConfig | null; // As it runs for the job's task; null when it was removed.
  stop: AbortController; // Aborts to end the job; the ledger says why.
  onTick(): Promise<void>; // Runs when something was printed, and now and then.
}

type Ending = Pick<JobEnd, 'state' | 'reason' | 'message' | 'exitCode'>;

export const jobDir = (room: Room, id: string) => join(room.turnsDir, id);
const failed = (reason: JobReason, message: string, exitCode: number | null = null): Ending => {
  return { state: 'failed', reason, message, exitCode };
};
export const killed = ({ effects }: TaskRoom, job: JobRecord, message: string): JobEnd => ({
  ...{ state: 'killed', reason: job.stop ?? 'person', message, endedAt: effects.now() },
  ...{ exitCode: null, signal: null, pausedMs: 0 },
});

/** Runs a job that was not started yet, or follows one that was.
 * @param letGo aborts when the runtime ends: the process goes on
 * @returns null when it was let go
 * @throws RoomError `io` */
export async function runJob(run: JobRun, adopt: boolean, letGo: AbortSignal): Promise<JobEnd | null> {
  const { effects } = run.deps;
  const moment = () => ({ wallMs: effects.now(), monotonicMs: effects.monotonicMs() });
  const begun = moment();
  const ending = await follow(run, begun.wallMs, adopt, letGo);
  if (ending === null) return null;
  const now = moment();
  const pausedMs = pausedBetween(begun, now);
  return { ...ending, signal: signalOf(ending.exitCode), endedAt: now.wallMs, pausedMs };
}

async function follow(run: JobRun, beginsAt: number, adopt: boolean, letGo: AbortSignal) {
  const { deps, job, stop } = run;
  const { effects, ledger, room } = deps;
  const launching = adopt ? null : await launchOf(run);
  if (typeof launching === 'string') return failed('exit', launching);
  if (launching !== null) {
    layOutJob(room, job);
    ledger.jobs.setStarted(job.id, beginsAt);
  }
  const startedAt = ledger.jobs.get(job.id)?.startedAt ?? beginsAt;
  const left = Math.max(1, startedAt + deps.config().jobTimeoutMs - beginsAt);
  const timer = effects.setTimer(left, () => stop.abort(new StopTurn('timed_out')), true);
  const dir = jobDir(room, job.id);
  const running = runProcess({ turn: { id: job.id }, effects, dir, signal: stop.signal }, launching);
  try {
    while (!letGo.aborted) {
      const { done, value } = await running.next();
      if (done) return await endingOf(run, value, dir);
      if (value.type === 'started') ledger.jobs.update(job.id, { pid: value.pid });
      const { maxOutputBytes } = deps.config();
      if (value.type === 'output' && value.bytes > maxOutputBytes)
        stop.abort(new StopTurn('output_limit', maxOutputBytes));
      if (value.type === 'tick') await run.onTick();
    }
    await running.return(undefined as never);
    return null;
  } finally {
    timer.cancel();
  }
}

/** Removes what an earlier try left in the folder; nothing of the job may run. @throws RoomError `io` */
function layOutJob(room: Room, { id, turn }: JobRecord): void {
  const dir = jobDir(room, id);
  onDisk(dir, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const file of [PID_FILE, EXIT_FILE]) rmSync(join(dir, file), { force: true });
    // The job's standard input.
    writeFileSync(join(dir, PROMPT_FILE), '');
    const given = turn === null ? null : join(room.turnsDir, turn, CONTEXT_FILE);
    if (given !== null && existsSync(given)) copyFileSync(given, join(dir, CONTEXT_FILE));
    else writeFileSync(join(dir, CONTEXT_FILE), '{}\n');
  });
}

/** What to start, or why it can't be. */
async function launchOf({ deps: { room, effects }, job, agent }: JobRun) {
  if (agent === null) return `there is no agent ${job.agent} any more`;
  const reach = job.turn === null ? null : turnReach(join(room.turnsDir, job.turn, 'bridge'));
  const about = { turn: { id: job.id }, task: { id: job.task }, dir: jobDir(room, job.id) };
  const program = [SHELL, '-c', job.command] as const;
  const launching = await prepareLaunch({ agent, room: room.dir, effects, reach, ...about }, program);
  return launching.ok ? launching.launch : launching.message;
}

const STOPPED: Partial<Record<JobReason, string>> = {
  timed_out: 'stopped: it took longer than job_timeout',
  output_limit: 'stopped: it printed more than max_output_bytes',
  person: 'stopped as asked',
  turn_over: 'stopped with its turn',
  canceled: 'stopped: its task was canceled, or is gone',
};

async function endingOf({ deps, job, agent }: JobRun, end: ProcessEnd, dir: string): Promise<Ending> {
  const { how, code, reason, message, survivors } = end;
  const rest = survivors.length > 0 ? `; could not be ended: pid ${survivors.join(', ')}` : '';
  if (how === 'unstarted') return failed('exit', message);
  if (how === 'lost') return failed('interrupted', `its process vanished${rest}`);
  if (how === 'exited' && code === 0) return { state: 'completed', reason: 'ok', exitCode: 0, message: rest };
  if (how === 'exited') {
    const line = redactorFor(agent, deps.effects)(await readLastLine(dir));
    return failed('exit', `exit code ${code}${line === '' ? '' : `: ${line}`}${rest}`, code);
  }
  if (reason === 'timed_out' || reason === 'output_limit')
    return failed(reason, STOPPED[reason] + rest, code);
  const why = deps.ledger.jobs.get(job.id)?.stop ?? 'person';
  return { state: 'killed', reason: why, exitCode: code, message: (STOPPED[why] ?? 'stopped') + rest };
}

/** Records the end in the job's folder and the ledger. Returns whether it woke the job's task. @throws RoomError `io`, `locked`, `room_gone` */
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

/** Ends a job from a command while no daemon runs: first what still runs of it, then its record. */
export async function endOrphanedJob(deps: TaskRoom, job: JobRecord): Promise<void> {
  await endOrphan(deps.room.dir, jobDir(deps.room, job.id), job.id, deps.effects);
  endJob(deps, job, killed(deps, job, 'stopped while nothing ran the room'));
}

/** Ends all jobs of a turn so, but those that outlive it. */
export async function endJobsOfTurn(deps: TaskRoom, turn: string): Promise<void> {
  for (const job of deps.ledger.jobs.active())
    if (job.turn === turn && !job.keep) await endOrphanedJob(deps, { ...job, stop: 'turn_over' });
}
