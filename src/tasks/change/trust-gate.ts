// A task whose words came from somebody its mirror does not trust waits for a person: no agent opens that gate, from
// inside whatever turn. What was tried stands in the task's file.
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import type { Task } from '../../core/task/task.ts';
import { usedUpBudget } from '../task-budget.ts';
import { type Actor, isAgent, nameOfActor, type TaskRoom, titleOfAgent, turnOfActor } from '../task-room.ts';

/** Whether this caller would open the gate of a task by letting it run. */
export function isShutTo({ ledger }: TaskRoom, actor: Actor, task: Pick<Task, 'paused'>, id: TaskId | null) {
  return isAgent(actor) && task.paused && id !== null && ledger.mirrors.isGated(id);
}

/** @throws RoomError `not_allowed` for an agent that would open the gate, or grant a used up budget once more */
export function assertMayOpen(deps: TaskRoom, actor: Actor, task: Task, id: TaskId | null): void {
  assertBudgetLeft(deps, actor, task, id);
  if (!isShutTo(deps, actor, task, id)) return;
  throw new RoomError('not_allowed', `${task.name} waits for a person: no agent can let it run`, {
    hint: 'its words come from somebody whom its mirror does not trust; leave that to the person',
  });
}

function assertBudgetLeft(deps: TaskRoom, actor: Actor, task: Task, id: TaskId | null): void {
  if (!isAgent(actor) || !task.paused || id === null) return;
  const usedUp = usedUpBudget(deps, id, 'next');
  if (usedUp === null) return;
  throw new RoomError('not_allowed', `the budget of ${task.name} is used up (${usedUp})`, {
    hint: 'only a person grants more; leave that to the person',
  });
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
