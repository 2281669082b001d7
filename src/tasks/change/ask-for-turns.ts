// Asking for turns: `run` wakes one task, `release` lets held ones go. What is asked stands in the ledger; a daemon
// is told to look, and without one the next `up` or `once` finds it.

import { RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { isBlocked, type Wake } from '../../core/rules/decide.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { isWaitingForAnswer } from '../../core/task/waiting.ts';
import { findTarget } from '../lookup/locate.ts';
import { giveId, splitCopy } from '../observe/give-id.ts';
import { whyUnsaid } from '../observe/handed-over.ts';
import { announce, refresh } from '../observe/refresh.ts';
import { findByRef } from '../references.ts';
import { type RoomHandle, readAgentProblems } from '../room-handle.ts';
import { type Actor, callOf, isAgent, requestOf, type TaskRoom, titleOfAgent } from '../task-room.ts';
import { assertMayChange, recordingGate } from './change.ts';
import { assertMayOpen } from './gates.ts';

/**
 * Asks for a turn, whatever was consumed or failed before.
 * @throws RoomError `refused` for a finished task, without `force` also for a paused, blocked or draft one, and when
 *   its owner can't run; and as `changeTask`
 */
export async function runTask(
  handle: RoomHandle,
  ref: string,
  { force = false, chat = false }: { force?: boolean; chat?: boolean },
  actor: Actor,
): Promise<{ id: TaskId; name: string; daemon: boolean; after: string | null }> {
  const { deps } = handle;
  const target = await findTarget(handle, ref);
  assertMayChange(deps, actor, target);
  assertForcesNothing(actor, force || chat);
  await recordingGate(deps, actor, target, () => assertMayOpen(deps, actor, target.task, target.id));
  const problemOf = await readAgentProblems(handle);
  assertCanRun(handle, target.task, target.id, force, chat);
  const unsaid = whyUnsaid(deps, target.id);
  if (unsaid !== null)
    throw standsStill(target.task, `waits for your word: ${unsaid}`, 'see: taskroom inbox');
  const problem = problemOf(target.task.owner);
  if (problem !== null)
    throw standsStill(target.task, `has no agent that can run: ${problem}`, 'see: taskroom doctor');
  const id = target.id ?? (await (target.task.id === null ? giveId : splitCopy)(deps, target.path));
  if (id === null)
    throw new RoomError('conflict', `${target.path} is being changed`, 'try again in a moment');
  if (target.id === null) await announce(handle, target.path, actor);
  letPass(handle, id, actor);
  deps.ledger.transaction(() => {
    if (!isAskedAnew(deps, actor)) return;
    wake(handle, [id], force ? 'run_forced' : 'run');
    const call = callOf(actor);
    if (call !== null) deps.ledger.turns.setToolCall(threadOfTask(id), call);
    if (chat) wake(handle, [id], 'chat');
  });
  const after = deps.ledger.turns.runningOn(threadOfTask(id))?.id ?? null;
  return { id, name: target.task.name, daemon: tell(handle, [id]), after };
}

/** False for an agent's asking that was carried out already and whose answer was lost. */
function isAskedAnew({ ledger, effects }: TaskRoom, actor: Actor): boolean {
  const { key } = requestOf(actor);
  return key === undefined || ledger.idempotencyKeys.take(`${key}:run`, effects.now());
}

/** What a state forbids is a person's to override. */
function assertForcesNothing(actor: Actor, force: boolean): void {
  if (!isAgent(actor) || !force) return;
  throw new RoomError('not_allowed', `${titleOfAgent(actor)} can't force a turn`, 'ask the person to');
}

function assertCanRun(
  handle: RoomHandle,
  task: Task,
  id: TaskId | null,
  force: boolean,
  chat: boolean,
): void {
  const { deps } = handle;
  const word = id ?? JSON.stringify(task.name);
  const owner = task.owner ?? deps.config().defaultAgent;
  const open = task.blockedBy.filter((ref) =>
    isBlocked([{ status: findByRef(deps.ledger, ref)?.status ?? null }]),
  );
  if (isFinished(task.status))
    throw standsStill(task, `is ${task.status}`, `reopen it first: taskroom reopen ${word}`);
  if (!deps.agents().has(owner)) {
    const agents = [...deps.agents().keys()].sort().join(', ');
    const whose = task.owner === null ? `the room's default agent ${owner}` : `its owner ${owner}`;
    const hint =
      agents === ''
        ? `add agents/${owner}/agent.json`
        : `add agents/${owner}/agent.json, or set its owner to one of: ${agents}`;
    throw standsStill(task, `can't run: there is no agent for ${whose}`, hint);
  }
  if (force) return;
  if (task.status === 'draft')
    throw standsStill(task, 'is a draft', `set it to todo, or run it as it is: taskroom run ${word} --force`);
  if (task.paused)
    throw standsStill(
      task,
      'is paused',
      `resume it (taskroom resume ${word}), or run it once: taskroom run ${word} --force`,
    );
  if (open.length > 0)
    throw standsStill(
      task,
      `waits for ${open.join(', ')}`,
      `finish that first, or run it all the same: taskroom run ${word} --force`,
    );
  // Whoever sits there answers it.
  if (!chat && isWaitingForAnswer(task))
    throw standsStill(
      task,
      'waits for your answer to a question',
      `answer it (taskroom answer ${word} 'your answer'), or run it all the same: taskroom run ${word} --force`,
    );
}

function standsStill(task: Task, what: string, hint: string): RoomError {
  return new RoomError('refused', `${task.name} ${what}`, hint);
}

/** A person's word outweighs the wait for a usage limit: the agent of this task is asked anew, for one turn of it. */
function letPass({ deps }: RoomHandle, id: TaskId, actor: Actor): boolean {
  if (actor.kind !== 'person' || deps.ledger.limitWaits.list().length === 0) return false;
  deps.ledger.limitWaits.letPass(threadOfTask(id));
  return true;
}

/** The same for a task whose turn is asked for already, or will be. */
export function tryAnew(handle: RoomHandle, id: TaskId, actor: Actor): void {
  if (letPass(handle, id, actor)) tell(handle, [id]);
}

export async function releaseTasks(handle: RoomHandle): Promise<{ released: number; daemon: boolean }> {
  await refresh(handle);
  const { ledger } = handle.deps;
  const ids = ledger.tasks.held().map(({ id }) => id);
  if (ids.length === 0) return { released: 0, daemon: handle.ports.daemonRuns() };
  ledger.transaction(() => {
    wake(handle, ids, 'released');
    for (const id of ids) ledger.tasks.update(id, { held: false });
  });
  return { released: ids.length, daemon: tell(handle, ids) };
}

/** A person said something on an open task: its agent gets a turn to answer, as it does for a trusted word upstream. */
export function wakeForComment(handle: RoomHandle, id: TaskId): void {
  if (isFinished(handle.deps.ledger.tasks.get(id)?.status ?? 'todo')) return;
  wake(handle, [id], 'comment');
  tell(handle, [id]);
}

function wake(handle: RoomHandle, ids: readonly TaskId[], kind: Wake): void {
  for (const id of ids) handle.deps.ledger.wakes.add(id, kind, handle.deps.effects.now());
}

function tell(handle: RoomHandle, ids: TaskId[]): boolean {
  if (!handle.ports.daemonRuns()) return false;
  handle.deps.ledger.messages.send({ kind: 'look', tasks: ids }, handle.deps.effects.now());
  handle.ports.ring();
  return true;
}
