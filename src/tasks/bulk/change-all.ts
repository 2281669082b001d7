// Finishing or deleting every task that fits a filter (C9).

import { isRoomError, RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { isFinished, STATUSES } from '../../core/task/status.ts';
import { createPace } from '../../effects.ts';
import { assertMayChange, threadOfActor } from '../change/change.ts';
import { refresh } from '../observe/refresh.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed, Removed } from '../shapes/change.ts';
import type { ListFilter } from '../shapes/list.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { Actor } from '../task-room.ts';
import { findTasks } from '../views/list.ts';
import { carryOutAll } from './bulk-tasks.ts';

/** Drafts are left alone unless the filter asks for them. Throws as `carryOutAll`. */
export async function completeAll(handle: RoomHandle, filter: ListFilter, actor: Actor): Promise<Changed[]> {
  const tasks = await findAll(handle, { status: ['todo', 'doing'], ...filter }, actor);
  const open = tasks.filter(({ status }) => !isFinished(status));
  return carryOutAll(
    handle,
    open.map((task) => ({ do: 'complete', ref: refOf(task) })),
    actor,
  );
}

/** Takes no subtask along that does not fit itself. Throws as `carryOutAll`. */
export async function removeAll(
  handle: RoomHandle,
  given: 'completed' | 'all' | undefined,
  asked: ListFilter,
  actor: Actor,
  isDry = false,
): Promise<Removed[]> {
  const { which, filter } =
    given === undefined ? await whichOfScope(handle, asked) : { which: given, filter: asked };
  const status = which === 'all' ? [...STATUSES] : STATUSES.filter(isFinished);
  const tasks = await findAll(handle, { status, ...filter }, actor);
  const wanted = which === 'all' ? tasks : tasks.filter((task) => isFinished(task.status));
  if (isDry) return wanted.map(({ id, name, path }) => ({ id, name, path, changed: false, attic: '' }));
  const removed = await carryOutAll(
    handle,
    wanted.map((task) => ({ do: 'delete', ref: refOf(task), alone: true })),
    actor,
  );
  return removed as unknown as Removed[];
}

/** `--scope completed` and `--scope all` of others, where no scope is named so. @throws RoomError `bad_input` */
async function whichOfScope(handle: RoomHandle, { scope: which, ...filter }: ListFilter) {
  const { listScopes } = await import('../change/scopes.ts');
  const isScope = (await listScopes(handle)).some(({ name }) => name === which);
  if ((which === 'completed' || which === 'all') && !isScope) return { which, filter } as const;
  throw new RoomError('bad_input', 'which of many tasks are meant was not given', {
    hint: 'give completed, or all for open ones too',
  });
}

/** Those that the caller may change; the task of an agent's own turn is not among many. */
async function findAll(handle: RoomHandle, filter: ListFilter, actor: Actor): Promise<TaskRow[]> {
  const pace = createPace(handle.deps.effects);
  await refresh(handle);
  await pace();
  const { tasks } = await findTasks(handle, filter, pace);
  await pace();
  return tasks.filter((task) => task.archived !== true && mayChange(handle, actor, task));
}

function mayChange({ deps }: RoomHandle, actor: Actor, task: TaskRow): boolean {
  if (actor.kind !== 'agent') return true;
  if (task.id !== null && threadOfActor(deps, actor) === threadOfTask(task.id)) return false;
  try {
    assertMayChange(deps, actor, { id: task.id, task });
    return true;
  } catch (error) {
    if (isRoomError(error, 'not_allowed')) return false;
    throw error;
  }
}

function refOf({ id, path }: TaskRow): string {
  return id ?? path;
}
