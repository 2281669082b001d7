// Whether a task is blocked now, by what the ledger knows of what it waits for. A change is recorded and told, and
// stops a running turn.
import type { RoomEvent } from '../../core/events.ts';
import type { TaskId } from '../../core/ids.ts';
import { isBlocked } from '../../core/rules/decide.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import { isFinished } from '../../core/task/status.ts';
import { findByRef, namesOfTask } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';

interface Stops {
  stop: { id: TaskId; reason: TurnReason }[];
}

/** Returns whether the task became free. */
export function recheckBlocked(deps: TaskRoom, id: TaskId, result: Stops, events: RoomEvent[]): boolean {
  const { tasks, files } = deps.ledger;
  const memory = tasks.get(id);
  if (memory === null || memory.path === null || isFinished(memory.status)) return false;
  const row = files.get(memory.path);
  // One that can't be read stays as it was.
  if (!row?.reading.ok) return false;
  const refs = row.reading.task.blockedBy;
  const blockers = refs.map((ref) => ({ ref, status: findByRef(deps.ledger, ref)?.status ?? null }));
  const blocked = isBlocked(blockers);
  if (blocked === memory.blocked) return false;
  tasks.update(id, { blocked });
  const open = blockers.filter((blocker) => blocker.status !== 'done').map((blocker) => blocker.ref);
  if (!blocked) events.push({ type: 'task.unblocked', id, name: memory.name });
  else {
    events.push({ type: 'task.blocked', id, name: memory.name, by: open });
    result.stop.push({ id, reason: 'paused' });
  }
  return !blocked;
}

/** Looks again at what waits for a task; returns those tasks. */
export function recheckDependents(
  deps: TaskRoom,
  id: TaskId,
  name: string,
  result: Stops,
  events: RoomEvent[],
): TaskId[] {
  const dependents = deps.ledger.blockers.holders(namesOfTask(deps.ledger, id, name));
  for (const dependent of dependents) {
    if (recheckBlocked(deps, dependent, result, events))
      deps.ledger.wakes.add(dependent, 'unblocked', deps.effects.now());
  }
  return dependents;
}
