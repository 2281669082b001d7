// Many tasks that edits made due within moments (a branch switch, say) wait for a person's word instead of running.
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Queue } from '../queue.ts';

export interface MassEdits {
  /** Holds the tasks, and those of the last moments that did not start, when they are too many; true when it does. */
  hold(ids: readonly TaskId[]): boolean;
}

// Edits within this time of each other count as one mass edit.
const TOGETHER_MS = 2_000;

export function createMassEdits({ deps, queue }: { deps: TaskRoom; queue: Queue }): MassEdits {
  const { tasks } = deps.ledger;
  let recent: { id: TaskId; atMs: number }[] = [];
  return {
    hold(ids) {
      const now = deps.effects.monotonicMs();
      recent = recent.filter(({ atMs }) => now - atMs < TOGETHER_MS);
      const before = recent.map(({ id }) => id);
      recent.push(...ids.map((id) => ({ id, atMs: now })));
      if (ids.length === 0 || !isMassEdit(recent.length, deps.config().holdAbove)) return false;
      deps.ledger.transaction(() => {
        for (const id of ids) tasks.update(id, { held: true });
        for (const id of before) if (queue.drop(threadOfTask(id))) tasks.update(id, { held: true });
      });
      deps.events.emit({ type: 'tasks.held', count: tasks.held().length });
      return true;
    },
  };
}
