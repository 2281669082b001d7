// The one path of every changing operation: find the task and take in what happened to it, check who asks, write file and id
// in one step, then observe or ring. The rules are checked again on the text that is really written.
import { setKey } from '../../core/document/document.ts';
import { isRoomError, RoomError, reworded } from '../../core/errors.ts';
import { type TaskId, type ThreadId, taskOfThread, threadOfTask } from '../../core/ids.ts';
import { defined } from '../../core/plain-data.ts';
import type { SettledAnswers } from '../../core/task/overflow.ts';
import { hashText } from '../../core/task/read-task.ts';
import { isFinished, isReopen } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { Append } from '../../store/write/writer.ts';
import { findTarget, type Target } from '../lookup/locate.ts';
import { asOwnTask, freshTaskId } from '../observe/give-id.ts';
import { mustReadTask } from '../observe/read-file-row.ts';
import { announce } from '../observe/refresh.ts';
import { findByRef } from '../references.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { commandOf, isAgent, nameOfActor, requestOf, turnOfActor } from '../task-room.ts';
import { assertMayFinish, assertMayOpen, awaitedChecks, isShutTo, recordAttempt } from './gates.ts';

export interface FileChange {
  /** Pure; gets what the file says at that moment, again when it changed meanwhile. Throws RoomError to refuse. */
  edit?: (task: Task, text: string) => string;
  append?: readonly Append[];
  settled?: SettledAnswers; // Questions that may leave the file when there are too many.
  only?: string; // Only where the file's text has this hash.
  /** An agent may make it on a finished task too: it changes nothing of what was finished. */
  entersFinished?: boolean;
}

type Plan = (target: Target) => FileChange | Promise<FileChange>;

/** Changes the task that `ref` means, as `plan` says, which looks at it once and may refuse by throwing.
 * @throws RoomError `not_found`, `ambiguous`, `invalid_file`, `refused`, `not_allowed`, `conflict`, `io`, `locked` */
export async function changeTask(deps: RoomHandle, ref: string, actor: Actor, plan: Plan, needs?: Needs) {
  const { target, id, path, change, rewrite } = await prepareChange(deps, ref, actor, plan, needs);
  const { changed, after } = await recordingGate(deps, actor, target, () =>
    deps.writer.edit(path, {
      ...{ actor: nameOfActor(actor), task: id, command: commandOf(actor) },
      ...(target.id === null ? { id } : {}),
      ...requestOf(actor),
      edit: rewrite,
      append: change.append ?? [],
      ...defined({ settled: change.settled }),
    }),
  );
  if (changed) await announce(deps, path, actor);
  const now = mustReadTask(deps, path, after);
  return { id: now.id ?? id, name: now.name, ...(now.title !== null && { title: now.title }), path, changed };
}

/** As {@link changeTask}, up to the write: a change that may be made, as far as can be told before it is. */
export async function prepareChange(deps: RoomHandle, ref: string, actor: Actor, plan: Plan, needs?: Needs) {
  const target = await findTarget(deps, ref);
  assertMayChange(deps, actor, target, needs);
  const change = await plan(target);
  const { path } = target;
  const id = target.id ?? freshTaskId(deps);
  /** The text with the change, of whatever stands in the file then, and with an id where it has none. @throws RoomError to refuse */
  const rewrite = (text: string): string => {
    if (change.only !== undefined && hashText(text) !== change.only) throw changedMeanwhile(path);
    const before = mustReadTask(deps, path, text);
    let base = text;
    if (before.id === null) base = setKey(text, 'id', id, path);
    else if (target.id === null && before.id === target.task.id) base = asOwnTask(text, id, path);
    const task = base === text ? before : mustReadTask(deps, path, base);
    const edited = change.edit ? change.edit(task, base) : base;
    const adds = (change.append ?? []).some(
      ({ key }) => key === undefined || deps.writer.known(key) === null,
    );
    if (edited === text && !adds) return text;
    const after = mustReadResult(deps, path, edited);
    assertTransition(actor, before, after);
    if (change.entersFinished !== true) assertOpenTo(deps, actor, before, id);
    if (before.status !== 'done' && after.status === 'done') assertMayFinish(deps, actor, before, id);
    if (before.paused && !after.paused) assertMayOpen(deps, actor, before, id);
    return touchUpdated(deps, after, edited, path);
  };
  return { target, id, path, change, rewrite };
}

/** An agent that was kept from opening a gate of trust is on record in the file. */
export async function recordingGate<T>(
  deps: TaskRoom,
  actor: Actor,
  { id, path, task }: Target,
  act: () => T | Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isGate = isRoomError(error, 'not_allowed') && isShutTo(deps, actor, task, id);
    if (isGate && id !== null) await recordAttempt(deps, actor, path, id);
    throw error;
  }
}

/** For a caller who named the text that it saw. */
export function changedMeanwhile(path: string): RoomError {
  const hint = 'look at it again, then change what is to be changed';
  return new RoomError('conflict', `${path} has changed since`, hint);
}

/** An edit of ours may not make a file that can't be read. */
function mustReadResult(deps: TaskRoom, path: string, text: string): Task {
  try {
    return mustReadTask(deps, path, text);
  } catch (error) {
    if (!isRoomError(error)) throw error;
    throw reworded(error, `${path} could not be read any more with that`, 'bad_input');
  }
}

/** S4: one that is over is not said to be over in another way; only people and trackers reopen it. */
function assertTransition(actor: Actor, before: Task, after: Task): void {
  const { name, status } = before;
  if (status === after.status || !isFinished(status)) return;
  const isOpened = isReopen(status, after.status);
  if (isOpened && !isAgent(actor)) return;
  const what = isOpened ? "an agent can't reopen it" : `it can't be made ${after.status}`;
  const hint = isAgent(actor) ? ONLY_A_COMMENT : `reopen it first: taskroom reopen ${JSON.stringify(name)}`;
  throw new RoomError(isAgent(actor) ? 'not_allowed' : 'refused', `${name} is ${status}: ${what}`, hint);
}

const ONLY_A_COMMENT = 'leave a comment; the person can reopen it';

/** S6: agents change nothing of a finished task. A done that still waits for its checks is not finished. */
function assertOpenTo(deps: TaskRoom, actor: Actor, { name, status }: Task, id: TaskId): void {
  if (!isAgent(actor) || !isFinished(status)) return;
  if (status === 'done' && awaitedChecks(deps, id).length > 0) return;
  const hint = ONLY_A_COMMENT;
  throw new RoomError('not_allowed', `${name} is ${status}: an agent can't change it any more`, hint);
}

/** `updated:` is kept current only where a file has it, in the form it has there: a day, or a day and time. */
function touchUpdated(deps: TaskRoom, task: Task, text: string, path: string): string {
  if (task.updated === null) return text;
  const now = new Date(deps.effects.now()).toISOString();
  return setKey(text, 'updated', /^\d{4}-\d\d-\d\d$/.test(task.updated) ? now.slice(0, 10) : now, path);
}

/** The thread of the turn that acts; null where no turn does. */
export function threadOfActor({ ledger }: TaskRoom, actor: Actor): ThreadId | null {
  const turn = turnOfActor(actor);
  return turn === null ? null : (ledger.turns.get(turn)?.thread ?? null);
}

export type Needs = 'write' | 'comment' | 'create';

/** S5: a turn writes its own task, its subtasks and what its thread made for its agent; it comments on every task and makes new
 * ones (`about` null), unless its agent has no task tools. A chore's turn and an assistant write every task. @throws RoomError `not_allowed` */
export function assertMayChange(
  deps: TaskRoom,
  actor: Actor,
  about: { id: TaskId | null; task: Pick<Task, 'name' | 'parent' | 'owner'> } | null,
  needs: Needs = 'write',
): void {
  if (actor.kind !== 'agent') return;
  const thread = threadOfActor(deps, actor);
  if (about !== null && about.id !== null && thread === threadOfTask(about.id)) return;
  if (deps.agents().get(actor.agent)?.tasks === false)
    throw new RoomError('not_allowed', `agent ${actor.agent} has no task tools beyond its own turn's task`, {
      hint: `set "tasks": true in agents/${actor.agent}/agent.json to give it them`,
    });
  const own = thread === null ? null : taskOfThread(thread);
  if (own === null || about === null || needs !== 'write' || isBelow(deps, about.task.parent, own)) return;
  const isMadeHere = about.id !== null && deps.ledger.makers.get(about.id)?.thread === thread;
  if (isMadeHere && (about.task.owner ?? deps.config().defaultAgent) === actor.agent) return;
  throw new RoomError(
    'not_allowed',
    `${about.task.name} is not the task of turn ${actor.turn}, nor a subtask of it, nor made by it for itself`,
    'leave a comment on it, or make a new task',
  );
}

/** S11: only the owner of a task divides it: a turn of the task, its owner's other turns, or an assistant that made it or where no
 * owner is named. @throws RoomError `not_allowed` */
export function assertMayDivide(
  deps: TaskRoom,
  actor: Actor,
  { id, task }: { id: TaskId | null; task: Pick<Task, 'name' | 'owner' | 'createdBy'> },
): void {
  if (!isAgent(actor)) return;
  const owner = task.owner ?? deps.config().defaultAgent;
  if (actor.kind === 'assistant') {
    if (task.owner === null || task.createdBy === nameOfActor(actor)) return;
  } else {
    const isOwn = id !== null && threadOfActor(deps, actor) === threadOfTask(id);
    if (isOwn || owner === actor.agent) return;
  }
  throw new RoomError(
    'not_allowed',
    `${task.name} is owned by ${owner}: only its owner makes subtasks of it`,
    { hint: 'leave a comment on it, or make a task of its own' },
  );
}

const MAX_DEPTH = 32; // Deeper than anybody nests tasks; links written by hand may go round in a circle.

/** Whether the way from a task's `parent` upward leads to this one. */
function isBelow({ ledger }: TaskRoom, parent: string | null, top: TaskId): boolean {
  let ref = parent;
  for (let depth = 0; ref !== null && depth < MAX_DEPTH; depth += 1) {
    const memory = findByRef(ledger, ref);
    if (memory?.id === top) return true;
    ref = memory?.parent ?? null;
  }
  return false;
}
