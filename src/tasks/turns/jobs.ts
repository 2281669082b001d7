// Looking at jobs, and waiting for the end of one.
import { RoomError } from '../../core/errors.ts';
import { newTurnId, type TurnId, threadOfJob, threadOfTask } from '../../core/ids.ts';
import { watchWords } from '../../core/rules/watch.ts';
import { isFinished } from '../../core/task/status.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import { sleep } from '../../effects.ts';
import type { JobEnd, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { assertMayChange } from '../change/change.ts';
import { findTarget, locateTask, type Target } from '../lookup/locate.ts';
import { oneLine } from '../lookup/one-line.ts';
import { giveId } from '../observe/give-id.ts';
import { idOfRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { JobJson, JobReading } from '../shapes/turn.ts';
import { type Actor, isAgent, requestOf, type TaskRoom, titleOfAgent, turnOfActor } from '../task-room.ts';
import { readOutput } from '../views/turn-output.ts';

/** Longest a caller is kept waiting, seconds; an agent asks again, since other requests of its turn come between. */
const MAX_WAIT = 600;
const MAX_WAIT_OF_AGENT = 2;
const LOOK_EVERY_MS = 100;

function viewOfJob(job: JobRecord): JobJson {
  const { id, kind, task, turn, agent, command, description, keep, watch, state, reason } = job;
  const { signal, pid, message, told } = job;
  return {
    ...{ id, kind, thread: threadOfJob(id), task, turn, agent, command, description },
    ...{ keep, watch, state, reason },
    asked_at: new Date(job.askedAt).toISOString(),
    started_at: isoOrNull(job.startedAt),
    ended_at: isoOrNull(job.endedAt),
    ...{ paused_ms: job.pausedMs, exit_code: job.exitCode, signal, pid, message },
    ...{ tool_call: job.toolCall, told, output_path: `.taskroom/turns/${id}/output.log` },
  };
}

function isActive({ state }: Pick<JobRecord, 'state'>): boolean {
  return state === 'pending' || state === 'running';
}

/** @throws RoomError `not_found`, `ambiguous` */
function findJob({ deps }: RoomHandle, word: string): JobRecord {
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

// Asking for a job: it is put on record, and the daemon starts it. Who may run programs is decided here, once.

const MAX_COMMAND = 20_000;
const MAX_LINE = 200;

interface NewJob {
  /** Run by `sh -c` in the folder that the task's agent works in. */
  command: string;
  /** One line for people; the command when absent. */
  description?: string;
  /** It goes on when the turn that asks for it ends; its end then wakes the task. */
  keep?: boolean;
  /** Makes it a monitor: lines of its output that hold this are noted in the task. Several, with `|` between. */
  watch?: string;
}

/**
 * @throws RoomError `unavailable` while nothing runs the room, `not_allowed` for an agent that may run no programs, `refused` when
 *   its agent has as many as it may, `bad_input`
 */
export async function startJob(
  handle: RoomHandle,
  ref: string,
  given: NewJob,
  actor: Actor,
): Promise<JobJson> {
  const { deps, ports } = handle;
  const toolCall = requestOf(actor).key ?? null;
  const before = toolCall === null ? null : deps.ledger.jobs.byToolCall(toolCall);
  if (before !== null) return viewOfJob(before);
  const job = checked(given);
  const target = await findTarget(handle, ref);
  assertMayChange(deps, actor, target);
  const agent = agentFor(deps, target, actor);
  if (!ports.daemonRuns())
    throw new RoomError('unavailable', 'nothing runs this room, so that a job would have no keeper', {
      hint: 'start it first: taskroom up',
    });
  assertRoomFor(deps, agent);
  const task = target.id ?? (await giveId(deps, target.path));
  if (task === null)
    throw new RoomError('conflict', `${target.path} is being changed`, { hint: 'try again in a moment' });
  const id = freshJobId(deps, job.watch === null ? 'job' : 'monitor');
  const kind = job.watch === null ? ('job' as const) : ('monitor' as const);
  const asked = { id, kind, task, turn: turnOfActor(actor), agent, toolCall, askedAt: deps.effects.now() };
  deps.ledger.jobs.add({ ...job, ...asked });
  deps.ledger.messages.send({ kind: 'jobs' }, deps.effects.now());
  ports.ring();
  return viewOfJob(deps.ledger.jobs.get(id)!);
}

function checked({ command, description, keep = false, watch }: NewJob) {
  if (command.trim() === '' || command.length > MAX_COMMAND || command.includes('\0'))
    throw new RoomError(
      'bad_input',
      `command: it has ${command.length} characters, from 1 to ${MAX_COMMAND} are allowed`,
      {
        hint: 'put a long script into a file and run that',
      },
    );
  const first = command.trim().split('\n')[0]!;
  const said = oneLine('description', description ?? '', { most: MAX_LINE });
  const shown = said === '' ? first.slice(0, MAX_LINE) : said;
  const words = watch === undefined ? null : oneLine('watch', watch, { most: MAX_LINE });
  if (words !== null && watchWords(words).length === 0)
    throw new RoomError('bad_input', 'watch: there is no word in it', {
      hint: 'such as "error|listening on"',
    });
  return { command, description: shown, keep, watch: words };
}

/** In whose environment it runs. Programs are for agents whose settings say so; a person's word is enough by itself. */
function agentFor(deps: TaskRoom, { task }: Target, actor: Actor): string {
  const id = actor.kind === 'agent' ? actor.agent : (task.owner ?? deps.config().defaultAgent);
  const agent = deps.agents().get(id);
  if (agent === undefined)
    throw new RoomError('bad_input', `there is no agent ${JSON.stringify(id)} in whose folder it would run`, {
      hint: 'give the task an owner: taskroom set <task> owner=<agent>',
    });
  if (!isAgent(actor) || (actor.kind === 'agent' && agent.permissions !== 'edit')) return id;
  throw new RoomError('not_allowed', `${titleOfAgent(actor)} may run no programs, and so starts no jobs`, {
    hint:
      actor.kind === 'agent'
        ? `the person can allow it: "permissions": "run" in agents/${id}/agent.json`
        : 'ask the person to: taskroom job start',
  });
}

function assertRoomFor({ ledger, config }: TaskRoom, agent: string): void {
  const most = config().maxJobs;
  const active = ledger.jobs.active().filter((job) => job.agent === agent);
  if (active.length < most) return;
  const ids = active.map(({ id }) => id).join(', ');
  throw new RoomError('refused', `agent ${agent} has ${active.length} jobs, and may have ${most}`, {
    hint: active.length === 0 ? 'raise max_jobs in room.yaml' : `stop one of them first: ${ids}`,
  });
}

function freshJobId({ ledger, effects }: TaskRoom, kind: 'job' | 'monitor'): TurnId {
  for (;;) {
    const id = newTurnId(kind, effects.randomBytes);
    if (ledger.jobs.get(id) === null && ledger.turns.get(id) === null) return id;
  }
}

// The end of a job: asked for, and put on record. The end of a job that outlived its turn wakes its task.

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
