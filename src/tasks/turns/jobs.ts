// Jobs: asked for, looked at, waited for, stopped, and their end on record. The daemon starts and ends them.
import { RoomError } from '../../core/errors.ts';
import { newTurnId, type TurnId, threadOfTask } from '../../core/ids.ts';
import { isOver } from '../../core/rules/turn.ts';
import { watchWords } from '../../core/rules/watch.ts';
import { isFinished } from '../../core/task/status.ts';
import type { JobEnd, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { assertMayChange } from '../change/change.ts';
import { oneLine } from '../change/key-values.ts';
import { findTarget, locateTask, type Target } from '../lookup/locate.ts';
import { settleId } from '../observe/give-id.ts';
import { idOfRef } from '../references.ts';
import type { JobJson, JobReading, NewJob } from '../shapes/turn.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { isAgent, requestOf, titleOfAgent, turnOfActor } from '../task-room.ts';
import { lookUntil, type OutputWish, readOutput } from './turn-output.ts';
import { jobJson } from './turn-views.ts';

/** @throws RoomError `not_found`, `ambiguous` */
function findJob(deps: RoomHandle, word: string): JobRecord {
  const id = word.trim();
  const exact = deps.ledger.jobs.get(id);
  if (exact !== null) return exact;
  const begun = id.length < 2 ? [] : deps.ledger.jobs.byPrefix(id, 5);
  if (begun.length === 1) return begun[0]!;
  const shown = JSON.stringify(word);
  if (begun.length === 0) throw new RoomError('not_found', `no job ${shown}`, 'see: taskroom job');
  const list = begun.map((job) => `${job.id} (${job.description})`).join(', ');
  const hint = 'give more letters of the id';
  throw new RoomError('ambiguous', `${shown} fits more than one job: ${list}`, hint);
}

export async function listJobs(deps: RoomHandle, { task: ref }: { task?: string }) {
  const { jobs, tasks } = deps.ledger;
  if (ref === undefined) return { jobs: jobs.list({}).map(jobJson) };
  const task = tasks.get(idOfRef(ref))?.id ?? (await locateTask(deps, ref)).id;
  return { jobs: task === null ? [] : jobs.list({ task }).map(jobJson) };
}

/** One job with its output; with `wait` once it is over, or the time is up. */
export function readJob(deps: RoomHandle, word: string, wish: OutputWish, actor: Actor): Promise<JobReading> {
  const { offset = 0, limit, wait = 0 } = wish;
  const { jobs } = deps.ledger;
  const { id } = findJob(deps, word);
  const turn = turnOfActor(actor);
  return lookUntil(deps, wait, actor, async (isLast) => {
    const job = jobs.get(id)!;
    // Its agent knows of the end of its own job then.
    if (isOver(job.state) && turn !== null && turn === job.turn) jobs.updateAll([id], { told: true });
    if (!isOver(job.state) && !isLast) return null;
    const { text, next, size } = await readOutput(deps, id, offset, limit);
    return { ...jobJson(job), output: text, output_offset: next, output_bytes: size };
  });
}

const MAX_COMMAND = 20_000;
const MAX_LINE = 200;

/** Puts a job on record and rings the daemon, which starts it. Who may run programs is decided here, once.
 * @throws RoomError `unavailable` without a daemon, `not_allowed`, `refused` when its agent has too many, `bad_input` */
export async function startJob(deps: RoomHandle, ref: string, given: NewJob, actor: Actor): Promise<JobJson> {
  const { ports } = deps;
  const toolCall = requestOf(actor).key ?? null;
  const before = toolCall === null ? null : deps.ledger.jobs.first({ toolCall });
  if (before !== null) return jobJson(before);
  const job = checked(given);
  const target = await findTarget(deps, ref);
  assertMayChange(deps, actor, target);
  const agent = agentFor(deps, target, actor);
  const hint = 'start it first: taskroom up';
  if (!ports.daemonRuns())
    throw new RoomError('unavailable', 'nothing runs this room, so that a job would have no keeper', hint);
  assertRoomFor(deps, agent);
  const task = await settleId(deps, target);
  const kind = job.watch === null ? ('job' as const) : ('monitor' as const);
  const id = freshJobId(deps, kind);
  const asked = { id, kind, task, turn: turnOfActor(actor), agent, toolCall, askedAt: deps.effects.now() };
  deps.ledger.jobs.add({ ...job, ...asked });
  ringForJobs(deps);
  return jobJson(deps.ledger.jobs.get(id)!);
}

function ringForJobs(deps: RoomHandle): void {
  deps.ledger.messages.send({ kind: 'jobs' }, deps.effects.now());
  deps.ports.ring();
}

function checked({ command, description, keep = false, watch }: NewJob) {
  if (command.trim() === '' || command.length > MAX_COMMAND || command.includes('\0')) {
    const message = `command: it has ${command.length} characters, from 1 to ${MAX_COMMAND} are allowed`;
    throw new RoomError('bad_input', message, 'put a long script into a file and run that');
  }
  const first = command.trim().split('\n')[0]!;
  const said = oneLine('description', description ?? '', { most: MAX_LINE });
  const words = watch === undefined ? null : oneLine('watch', watch, { most: MAX_LINE });
  if (words !== null && watchWords(words).length === 0)
    throw new RoomError('bad_input', 'watch: there is no word in it', 'such as "error|listening on"');
  return { command, description: said || first.slice(0, MAX_LINE), keep, watch: words };
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
  const allow = `the person can allow it: "permissions": "run" in agents/${id}/agent.json`;
  throw new RoomError('not_allowed', `${titleOfAgent(actor)} may run no programs, and so starts no jobs`, {
    hint: actor.kind === 'agent' ? allow : 'ask the person to: taskroom job start',
  });
}

function assertRoomFor({ ledger, config }: TaskRoom, agent: string): void {
  const most = config().maxJobs;
  const active = ledger.jobs.active().filter((job) => job.agent === agent);
  if (active.length < most) return;
  const ids = active.map(({ id }) => id).join(', ');
  const hint = active.length === 0 ? 'raise max_jobs in room.yaml' : `stop one of them first: ${ids}`;
  throw new RoomError('refused', `agent ${agent} has ${active.length} jobs, and may have ${most}`, hint);
}

function freshJobId({ ledger, effects }: TaskRoom, kind: 'job' | 'monitor'): TurnId {
  for (;;) {
    const id = newTurnId(kind, effects.randomBytes);
    if (ledger.jobs.get(id) === null && ledger.turns.get(id) === null) return id;
  }
}

/** With a daemon it is asked to, and the record returned is that of the job still running. */
export async function stopJob(deps: RoomHandle, word: string, actor: Actor): Promise<JobJson> {
  const { ports } = deps;
  const { jobs, tasks } = deps.ledger;
  if (actor.kind === 'assistant')
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} may run no programs, and so stops no jobs`, {
      hint: 'ask the person to: taskroom job stop',
    });
  const job = findJob(deps, word);
  const task = tasks.get(job.task) ?? { name: job.task, parent: null, owner: null };
  assertMayChange(deps, actor, { id: job.task, task });
  if (isOver(job.state))
    throw new RoomError('refused', `job ${job.id} is over: ${job.state}`, 'see what runs: taskroom job');
  jobs.askToStop(job.id, 'person');
  if (ports.daemonRuns()) ringForJobs(deps);
  else await ports.endJob?.(jobs.get(job.id)!);
  return jobJson(jobs.get(job.id) ?? job);
}

/** Puts the end of a job on record, once. Returns whether its task was woken by it: it is where the job outlived its turn. */
export const recordJobEnd = ({ ledger }: Pick<TaskRoom, 'ledger'>, job: JobRecord, end: JobEnd): boolean =>
  ledger.transaction(() => ledger.jobs.end(job.id, end) && job.keep && wakeForJob(ledger, job, end.endedAt));

/** A turn that ended without having been told of a job's end misses it. Returns whether one woke the task. */
export function wakeForUntold({ ledger, effects }: TaskRoom, turn: string): boolean {
  const missed = ledger.jobs
    .list({})
    .filter((job) => job.turn === turn && job.keep && !job.told && isOver(job.state));
  return missed.map((job) => wakeForJob(ledger, job, effects.now())).includes(true);
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
