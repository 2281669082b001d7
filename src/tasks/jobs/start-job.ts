// Asking for a job: it is put on record, and the daemon starts it. Who may run programs is decided here, once.
import { RoomError } from '../../core/errors.ts';
import { newTurnId, type TurnId } from '../../core/ids.ts';
import { watchWords } from '../../core/rules/watch.ts';
import { assertMayChange } from '../change/change.ts';
import { findTarget } from '../find/find-target.ts';
import type { Target } from '../find/locate.ts';
import { giveId } from '../observe/give-id.ts';
import { oneLine } from '../one-line.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { JobJson } from '../shapes/job.ts';
import { type Actor, isAgent, requestOf, type TaskRoom, titleOfAgent, turnOfActor } from '../task-room.ts';
import { viewOfJob } from './read-jobs.ts';

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
