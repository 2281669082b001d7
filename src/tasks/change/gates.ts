// Saying done of a task that has checks: in its own turn they decide afterwards, outside of it only a person may.
import { mirroredServices } from '../../core/context/context.ts';
import { RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import type { Task } from '../../core/task/task.ts';
import { checksThatCount } from '../../store/files/trusted-words.ts';
import { usedUpBudget } from '../obstacles.ts';
import type { Changed } from '../shapes/change.ts';
import { type Actor, isAgent, nameOfActor, type TaskRoom, titleOfAgent, turnOfActor } from '../task-room.ts';

export const checksOfTask = (deps: TaskRoom, id: TaskId, owner: string | null): string[] =>
  checksThatCount(deps.ledger, id, deps.agents().get(owner ?? deps.config().defaultAgent));

/** @throws RoomError `not_allowed` for an agent that would finish a task past its checks */
export function assertMayFinish(deps: TaskRoom, actor: Actor, task: Task, id: TaskId): void {
  if (!isAgent(actor) || deps.ledger.turns.runningOn(threadOfTask(id)) !== null) return;
  const commands = checksOfTask(deps, id, task.owner);
  if (commands.length === 0) return;
  throw new RoomError(
    'not_allowed',
    `${task.name} has checks: only its own turn, or a person, can finish it`,
    `they are run at the end of its turn: ${commands.join('; ')}`,
  );
}

/** The checks that decide whether a done which the file says now counts; none when nothing has to be waited for. */
export function awaitedChecks({ ledger }: TaskRoom, id: TaskId): string[] {
  const turn = ledger.turns.runningOn(threadOfTask(id));
  const checks = turn === null ? null : ledger.checks.get(turn.id);
  if (checks === null || !['open', 'held', 'failed'].includes(checks.state)) return [];
  return ledger.checks.waiverSince(id, checks.beganAt) === null ? checks.commands : [];
}

/** A person says done of a task whose done waits for checks that no turn is there to run: it counts. */
export function releasesHeld({ ledger }: TaskRoom, actor: Actor, id: TaskId): boolean {
  const newest = ledger.checks.newest(id);
  if (actor.kind !== 'person' || newest?.state !== 'held') return false;
  if (ledger.turns.runningOn(threadOfTask(id)) !== null) return false;
  ledger.checks.update(newest.turn, { state: 'open' });
  return true;
}

// A task whose words came from somebody its mirror does not trust waits for a person. What an agent tried stands in its file.

/** Whether this caller would open the gate of a task by letting it run. */
export const isShutTo = ({ ledger }: TaskRoom, actor: Actor, task: Pick<Task, 'paused'>, id: TaskId | null) =>
  isAgent(actor) && task.paused && id !== null && ledger.mirrors.isGated(id);

/** @throws RoomError `not_allowed` for an agent that would open the gate, or grant a used up budget once more */
export function assertMayOpen(deps: TaskRoom, actor: Actor, task: Task, id: TaskId | null): void {
  const usedUp = isAgent(actor) && task.paused && id !== null ? usedUpBudget(deps, id, 'next') : null;
  if (usedUp !== null)
    throw new RoomError('not_allowed', `the budget of ${task.name} is used up (${usedUp})`, {
      hint: 'only a person grants more; leave that to the person',
    });
  if (!isShutTo(deps, actor, task, id)) return;
  const hint = 'its words come from somebody whom its mirror does not trust; leave that to the person';
  throw new RoomError('not_allowed', `${task.name} waits for a person: no agent can let it run`, hint);
}

/** Says in the task's file that an agent tried; once a turn, and once for each assistant. */
export async function recordAttempt(deps: TaskRoom, actor: Actor, path: string, id: TaskId): Promise<void> {
  if (!isAgent(actor)) return;
  const text = `Refused: ${titleOfAgent(actor)} tried to let this task run; only a person can.`;
  const block = asNote(formatProgress({ atMs: deps.effects.now(), text }));
  const append = [
    { section: 'Progress' as const, block, key: `${turnOfActor(actor) ?? nameOfActor(actor)}:gate:${id}` },
  ];
  await deps.writer.edit(path, { actor: 'runtime', task: id, edit: (now) => now, append });
}

// What of a change in a mirrored task's file does not reach its issue, and why (T11). The answer to the change says it.

const IN_THE_FILE = { services: { read: true, write: true, comment: true }, missing: [] };

/** The answer to a change that needs this service to be seen upstream. */
export function withUnreached(deps: TaskRoom, changed: Changed, service: 'write' | 'comment'): Changed {
  const reading = deps.ledger.files.get(changed.path)?.reading;
  const remote = reading?.ok ? reading.task.remote : null;
  if (remote === null || !changed.changed) return changed;
  const { missing } = mirroredServices(IN_THE_FILE, deps.mirrorServices?.(changed.id) ?? null);
  const why = missing.filter((each) => each.service === service);
  if (why.length === 0) return changed;
  return { ...changed, unreached: why.map(({ what, how }) => ({ who: remote, what, how })) };
}
