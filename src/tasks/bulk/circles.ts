// Whether changes that are made together would close a circle, which none of them would alone.
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { Task } from '../../core/task/task.ts';
import { findByRef, idOfRef } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';

type Linked = Pick<Task, 'name' | 'blockedBy' | 'parent'>;

/**
 * @param tasks what those say that are made or changed, by id
 * @throws RoomError `bad_input` that names the circle
 */
export async function assertNoCircles(
  deps: TaskRoom,
  tasks: ReadonlyMap<TaskId, Linked>,
  pace: () => Promise<void>,
): Promise<void> {
  for (const key of ['blocked_by', 'parent'] as const)
    for (const [id, { name }] of tasks) {
      await pace();
      const way = wayBack(deps, tasks, id, key);
      if (way === null) continue;
      const names = way.map((each) => tasks.get(each)?.name ?? deps.ledger.tasks.get(each)?.name ?? each);
      throw new RoomError('bad_input', `${key} would go round in a circle: ${[name, ...names].join(' → ')}`, {
        hint: 'leave one of these links out',
      });
    }
}

/** The tasks on the way from a task along its links back to it, itself last; null when there is none. */
function wayBack(
  deps: TaskRoom,
  tasks: ReadonlyMap<TaskId, Linked>,
  start: TaskId,
  key: 'blocked_by' | 'parent',
): TaskId[] | null {
  const cameFrom = new Map<TaskId, TaskId>();
  const open: TaskId[] = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of linksOf(deps, tasks, at, key)) {
      if (next === start) return wayTo(at, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      open.push(next);
    }
  }
  return null;
}

function wayTo(last: TaskId, start: TaskId, cameFrom: ReadonlyMap<TaskId, TaskId>): TaskId[] {
  const way = [start];
  for (let id: TaskId | undefined = last; id !== undefined && id !== start; id = cameFrom.get(id))
    way.unshift(id);
  return way;
}

function linksOf(
  { ledger }: TaskRoom,
  tasks: ReadonlyMap<TaskId, Linked>,
  id: TaskId,
  key: 'blocked_by' | 'parent',
): TaskId[] {
  const changed = tasks.get(id);
  const refs =
    key === 'blocked_by'
      ? (changed?.blockedBy ?? ledger.blockers.of(id))
      : [changed === undefined ? (ledger.tasks.get(id)?.parent ?? null) : changed.parent];
  return refs.flatMap((ref) => {
    if (ref === null) return [];
    const word = idOfRef(ref) as TaskId;
    return tasks.has(word) ? [word] : (findByRef(ledger, ref)?.id ?? []);
  });
}
