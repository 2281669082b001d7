// A pause is told once: with its reason by the operation that made it, without one by whoever sees it in the file.
import type { TaskId } from '../../core/ids.ts';
import type { TaskRoom } from '../task-room.ts';

const told = new WeakMap<TaskRoom, Set<TaskId>>();

/** Tells of a pause this process made; what is observed of it later is no news. */
export function tellPause(deps: TaskRoom, id: TaskId, name: string, reason: string): void {
  const ids = told.get(deps) ?? new Set();
  told.set(deps, ids.add(id));
  deps.events.emit({ type: 'task.paused', id, name, reason });
}

/** True once for a pause that was told already. */
export function wasTold(deps: TaskRoom, id: TaskId): boolean {
  return told.get(deps)?.delete(id) ?? false;
}
