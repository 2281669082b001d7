// Changing several tasks, all or nothing: planned whole, on record before the first write, finished or taken back after a crash.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { DELETED, isFinished, STATUSES } from '../../core/task/status.ts';
import { createPace } from '../../effects.ts';
import type { Bulk } from '../../store/ledger/writes/bulks.ts';
import { waitForLock } from '../../store/lock/locks.ts';
import { assertMayChange, threadOfActor } from '../change/change.ts';
import { noteCall } from '../change/create-task.ts';
import { afterStatus } from '../change/status-change.ts';
import { announce, announceGone, refresh } from '../observe/refresh.ts';
import { saidStatus } from '../references.ts';
import type { Changed, Removed } from '../shapes/change.ts';
import type { ListFilter, TaskRow } from '../shapes/task.ts';
import { type Actor, nameOfActor, type RoomHandle, requestOf } from '../task-room.ts';
import { findTasks } from '../views/list.ts';
import { carryOutBulk, createSteps, finishUnderLock, lockPath } from './carry-out-bulk.ts';
import { planBulk, type RequestedChange } from './plan-bulk.ts';

const WAIT_MS = 30_000;

/** Of any number. @throws RoomError as `planBulk` and `carryOutBulk` */
export async function carryOutAll(deps: RoomHandle, changes: readonly RequestedChange[], actor: Actor) {
  const { key = null } = requestOf(actor);
  // One at a time, over all processes.
  const { room, effects } = deps;
  const wait = { effects, waitMs: WAIT_MS };
  const lock = await waitForLock(lockPath(room), 'bulk', 'several tasks are being changed', wait);
  let bulk: Bulk;
  try {
    await finishUnderLock(deps);
    const before = key === null ? null : deps.ledger.bulks.byKey(key);
    if (before !== null) return JSON.parse(before.result) as Changed[];
    if (changes.length === 0) return [];
    const { items, answers, rewrites } = await planBulk(deps, changes, actor);
    const said = { key, actor: nameOfActor(actor), items, result: JSON.stringify(answers) };
    bulk = { ...said, state: 'do', seq: deps.ledger.bulks.add(said, deps.effects.now()) };
    const recorded = bulk;
    const made = newTasks(deps, changes, answers);
    bulk.result = await noteCall(deps, made, actor, () => carryOutBulk(deps, recorded, rewrites));
  } finally {
    lock.release();
  }
  return announceAll(deps, bulk, changes, actor);
}

function newTasks(deps: RoomHandle, changes: readonly RequestedChange[], answers: readonly Changed[]) {
  return changes.flatMap((change, index) => {
    if (change.do !== 'create') return [];
    const { status = 'todo' } = change;
    return [{ id: answers[index]!.id, ...saidStatus(deps, status) }];
  });
}

async function announceAll(
  deps: RoomHandle,
  { items, result }: Bulk,
  changes: readonly RequestedChange[],
  actor: Actor,
): Promise<Changed[]> {
  const step = createSteps(deps, 'noting', items.length);
  for (const item of items) {
    await step();
    await (item.do === 'delete' ? announceGone : announce)(deps, item.path, actor);
  }
  const answers = JSON.parse(result) as Changed[];
  const told: Changed[] = [];
  const pace = createPace(deps.effects);
  for (const [index, change] of changes.entries()) {
    await pace();
    const status = change.do === 'complete' ? 'done' : change.do === 'update' ? change.status : undefined;
    const answer = answers[index]!;
    told.push(
      status === undefined || status === DELETED ? answer : await afterStatus(deps, status, actor, answer),
    );
  }
  return told;
}

/** Drafts are left alone unless the filter asks for them. Throws as `carryOutAll`. */
export async function completeAll(deps: RoomHandle, filter: ListFilter, actor: Actor): Promise<Changed[]> {
  const tasks = await findAll(deps, { status: ['todo', 'doing'], ...filter }, actor);
  const open = tasks.filter(({ status }) => !isFinished(status));
  return carryOutAll(
    deps,
    open.map((task) => ({ do: 'complete', ref: refOf(task) })),
    actor,
  );
}

/** Takes no subtask along that does not fit itself. Throws as `carryOutAll`. */
export async function removeAll(
  deps: RoomHandle,
  given: 'completed' | 'all' | undefined,
  asked: ListFilter,
  actor: Actor,
  isDry = false,
): Promise<Removed[]> {
  const { which, filter } =
    given === undefined ? await whichOfScope(deps, asked) : { which: given, filter: asked };
  const status = which === 'all' ? [...STATUSES] : STATUSES.filter(isFinished);
  const tasks = await findAll(deps, { status, ...filter }, actor);
  const wanted = which === 'all' ? tasks : tasks.filter((task) => isFinished(task.status));
  if (isDry) return wanted.map(({ id, name, path }) => ({ id, name, path, changed: false, attic: '' }));
  const removed = await carryOutAll(
    deps,
    wanted.map((task) => ({ do: 'delete', ref: refOf(task), alone: true })),
    actor,
  );
  return removed as unknown as Removed[];
}

/** `--scope completed` and `--scope all` of others, where no scope is named so. @throws RoomError `bad_input` */
async function whichOfScope(deps: RoomHandle, { scope: which, ...filter }: ListFilter) {
  const { listScopes } = await import('../change/scopes.ts');
  const isScope = (await listScopes(deps)).some(({ name }) => name === which);
  if ((which === 'completed' || which === 'all') && !isScope) return { which, filter } as const;
  const hint = 'give completed, or all for open ones too';
  throw new RoomError('bad_input', 'which of many tasks are meant was not given', hint);
}

/** Those that the caller may change; the task of an agent's own turn is not among many. */
async function findAll(deps: RoomHandle, filter: ListFilter, actor: Actor): Promise<TaskRow[]> {
  const pace = createPace(deps.effects);
  await refresh(deps);
  await pace();
  const { tasks } = await findTasks(deps, filter, pace);
  await pace();
  return tasks.filter((task) => task.archived !== true && mayChange(deps, actor, task));
}

function mayChange(deps: RoomHandle, actor: Actor, task: TaskRow): boolean {
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

const refOf = ({ id, path }: TaskRow): string => id ?? path;
