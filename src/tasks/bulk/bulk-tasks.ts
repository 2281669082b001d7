// Changing several tasks, all or nothing: planned whole, on record before the first write, finished or taken back after a crash.
import { DELETED } from '../../core/task/status.ts';
import { createPace } from '../../effects.ts';
import type { Bulk } from '../../store/ledger/writes/bulks.ts';
import { waitForLock } from '../../store/lock/locks.ts';
import { noteCall } from '../change/create-task.ts';
import { afterStatus } from '../change/status-change.ts';
import { announce, announceGone } from '../observe/refresh.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed } from '../shapes/change.ts';
import { type Actor, nameOfActor, requestOf } from '../task-room.ts';
import { carryOutBulk, createSteps, finishUnderLock, lockPath } from './carry-out-bulk.ts';
import { planBulk, type RequestedChange } from './plan-bulk.ts';

const WAIT_MS = 30_000;

/** Of any number. @throws RoomError as `planBulk` and `carryOutBulk` */
export async function carryOutAll(
  handle: RoomHandle,
  changes: readonly RequestedChange[],
  actor: Actor,
): Promise<Changed[]> {
  const { deps } = handle;
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
    const { items, answers, rewrites } = await planBulk(handle, changes, actor);
    const said = { key, actor: nameOfActor(actor), items, result: JSON.stringify(answers) };
    bulk = { ...said, state: 'do', seq: deps.ledger.bulks.add(said, deps.effects.now()) };
    const recorded = bulk;
    const made = newTasks(changes, answers);
    bulk.result = await noteCall(deps, made, actor, () => carryOutBulk(deps, recorded, rewrites));
  } finally {
    lock.release();
  }
  return announceAll(handle, bulk, changes, actor);
}

function newTasks(changes: readonly RequestedChange[], answers: readonly Changed[]) {
  return changes.flatMap((change, index) => {
    if (change.do !== 'create') return [];
    const { status = 'todo' } = change;
    return [{ id: answers[index]!.id, status }];
  });
}

async function announceAll(
  handle: RoomHandle,
  { items, result }: Bulk,
  changes: readonly RequestedChange[],
  actor: Actor,
): Promise<Changed[]> {
  const step = createSteps(handle.deps, 'noting', items.length);
  for (const item of items) {
    await step();
    await (item.do === 'delete' ? announceGone : announce)(handle, item.path, actor);
  }
  const answers = JSON.parse(result) as Changed[];
  const told: Changed[] = [];
  const pace = createPace(handle.deps.effects);
  for (const [index, change] of changes.entries()) {
    await pace();
    const status = change.do === 'complete' ? 'done' : change.do === 'update' ? change.status : undefined;
    const answer = answers[index]!;
    told.push(
      status === undefined || status === DELETED ? answer : await afterStatus(handle, status, actor, answer),
    );
  }
  return told;
}
