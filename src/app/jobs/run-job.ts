// One job from its start, or its taking up, to its end: its process under the wrapper, bounded in time and output.
import { join } from 'node:path';
import { prepareLaunch } from '../../agents/process/launch.ts';
import { readLastLine } from '../../agents/process/output-log.ts';
import { type ProcessEnd, runProcess } from '../../agents/process/run-process.ts';
import { signalOf } from '../../agents/process/turn-outcome.ts';
import { SHELL } from '../../agents/process/wrapper.ts';
import { StopTurn } from '../../agents/runner.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { createRedactor } from '../../core/redact.ts';
import { pausedBetween } from '../../core/time/paused.ts';
import type { JobEnd, JobReason, JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { turnReach } from '../turn-program.ts';
import { jobDir, layOutJob } from './job-folder.ts';

export interface JobRun {
  deps: TaskRoom;
  job: JobRecord;
  /** As it runs for the job's task; null when it is gone. */
  agent: AgentConfig | null;
  /** Aborts to end the job; why, `why` tells. */
  stop: AbortController;
  why(): JobReason | null;
  /** Something was printed, or time went by. */
  onTick(): Promise<void>;
}

/**
 * Runs a job that was not started yet, or follows one that was.
 * @param letGo aborts when the runtime ends: the process goes on
 * @returns null when it was let go
 * @throws RoomError `io`
 */
export async function runJob(run: JobRun, adopt: boolean, letGo: AbortSignal): Promise<JobEnd | null> {
  const { deps, job, stop } = run;
  const { effects, ledger, room } = deps;
  const begun = { wallMs: effects.now(), monotonicMs: effects.monotonicMs() };
  const ended = (end: Omit<JobEnd, 'endedAt' | 'pausedMs' | 'signal'>): JobEnd => {
    const now = { wallMs: effects.now(), monotonicMs: effects.monotonicMs() };
    return {
      ...end,
      signal: signalOf(end.exitCode),
      endedAt: now.wallMs,
      pausedMs: pausedBetween(begun, now),
    };
  };
  const failed = (reason: JobReason, message: string) =>
    ended({ state: 'failed', reason, exitCode: null, message });
  const launching = adopt ? null : await launchOf(run);
  if (typeof launching === 'string') return failed('exit', launching);
  if (launching !== null) {
    layOutJob(room, job);
    ledger.jobs.setStarted(job.id, begun.wallMs);
  }
  const startedAt = ledger.jobs.get(job.id)?.startedAt ?? begun.wallMs;
  const left = Math.max(1, startedAt + deps.config().jobTimeoutMs - begun.wallMs);
  const timer = effects.setTimer(left, () => stop.abort(new StopTurn('timed_out')), true);
  const dir = jobDir(room, job.id);
  const running = runProcess({ turn: { id: job.id }, effects, dir, signal: stop.signal }, launching);
  try {
    for (;;) {
      const next = await untilNext(running, letGo);
      if (next === 'let_go') return null;
      if (next.done) return ended(await outcomeOf(run, next.value, dir));
      if (next.value.type === 'started') ledger.jobs.update(job.id, { pid: next.value.pid });
      const { maxOutputBytes } = deps.config();
      if (next.value.type === 'output' && next.value.bytes > maxOutputBytes)
        stop.abort(new StopTurn('output_limit', maxOutputBytes));
      if (next.value.type === 'tick') await run.onTick();
    }
  } finally {
    timer.cancel();
  }
}

type Running = ReturnType<typeof runProcess>;

async function untilNext(
  running: Running,
  letGo: AbortSignal,
): Promise<Awaited<ReturnType<Running['next']>> | 'let_go'> {
  if (letGo.aborted) {
    await running.return(undefined as never);
    return 'let_go';
  }
  return running.next();
}

/** What to start, or why it can't be. */
async function launchOf({ deps, job, agent }: JobRun) {
  if (agent === null) return `there is no agent ${job.agent} any more`;
  const { room, effects } = deps;
  const reach = job.turn === null ? null : turnReach(join(room.turnsDir, job.turn, 'bridge'));
  const about = { turn: { id: job.id }, task: { id: job.task }, dir: jobDir(room, job.id) };
  const launching = await prepareLaunch({ agent, room: room.dir, effects, reach, ...about }, [
    SHELL,
    '-c',
    job.command,
  ]);
  return launching.ok ? launching.launch : launching.message;
}

const STOPPED: Partial<Record<JobReason, string>> = {
  timed_out: 'stopped: it took longer than job_timeout',
  output_limit: 'stopped: it printed more than max_output_bytes',
  person: 'stopped as asked',
  turn_over: 'stopped with its turn',
  canceled: 'stopped: its task was canceled, or is gone',
};

async function outcomeOf(
  run: JobRun,
  { how, code, reason, message, survivors }: ProcessEnd,
  dir: string,
): Promise<Omit<JobEnd, 'endedAt' | 'pausedMs' | 'signal'>> {
  const rest = survivors.length > 0 ? `; could not be ended: pid ${survivors.join(', ')}` : '';
  if (how === 'unstarted') return { state: 'failed', reason: 'exit', exitCode: null, message };
  if (how === 'lost')
    return { state: 'failed', reason: 'interrupted', exitCode: null, message: `its process vanished${rest}` };
  if (how === 'exited') {
    const line = code === 0 ? '' : redactorFor(run)(await readLastLine(dir));
    const text = code === 0 ? '' : `exit code ${code}${line === '' ? '' : `: ${line}`}`;
    return {
      state: code === 0 ? 'completed' : 'failed',
      reason: code === 0 ? 'ok' : 'exit',
      exitCode: code,
      message: text + rest,
    };
  }
  const limit = reason === 'timed_out' || reason === 'output_limit';
  const why: JobReason = limit ? reason : (run.why() ?? 'person');
  return {
    state: limit ? 'failed' : 'killed',
    reason: why,
    exitCode: code,
    message: (STOPPED[why] ?? 'stopped') + rest,
  };
}

/** Takes the secrets that the agent's variables were made of, and those it is never shown, out of a text. */
export function redactorFor({ agent, deps: { effects } }: JobRun): (text: string) => string {
  const named = Object.values(agent?.env ?? {}).flatMap((value) =>
    typeof value === 'string' ? [] : [value.from],
  );
  return createRedactor([...named, ...effects.withheld].map((name) => effects.env[name]));
}
