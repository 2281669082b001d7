// What is told of a task that changed: the difference between what was observed last and now, as events.
import type { RoomEvent } from '../../core/events.ts';
import type { TaskId } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { TaskRoom } from '../task-room.ts';

/** @param before what its file said last; null when that is not known */
export function changeEvents(
  deps: TaskRoom,
  memory: TaskMemory,
  task: Task,
  before: Task | null,
): RoomEvent[] {
  const events: RoomEvent[] = [];
  const { id } = memory;
  const { name } = task;
  if (memory.path !== null && memory.path !== task.path)
    events.push({ type: 'task.renamed', id, name, was: memory.name });
  const stepped = task.steps.filter((step) => step.done);
  const doneBefore = new Set(before?.steps.filter((step) => step.done).map((step) => step.title));
  const news = before === null ? [] : stepped.filter((step) => !doneBefore.has(step.title));
  // Several ticks seen at once count up like single ones.
  const total = task.steps.length;
  for (const [at, { title }] of news.entries())
    events.push({
      type: 'task.stepped',
      id,
      name,
      done: stepped.length - news.length + at + 1,
      total,
      title,
    });
  if (memory.status !== task.status)
    events.push({ type: 'task.changed', id, name, status: task.status, was: memory.status });
  if (isFinished(memory.status) && isFinished(task.status) && memory.revision !== task.revision)
    events.push({ type: 'task.edited_after_end', id, name, status: task.status });
  if (memory.paused && !task.paused) events.push({ type: 'task.resumed', id, name });
  if (!memory.paused && task.paused && !wasTold(deps, id))
    events.push({ type: 'task.paused', id, name, reason: 'its file says so' });
  return events;
}

// A pause is told once: with its reason by the operation that made it, without one by whoever sees it in the file.
const told = new WeakMap<TaskRoom, Set<TaskId>>();

/** This process is about to pause the task and tells of it itself: what is observed of that is no news. */
export function expectPause(deps: TaskRoom, id: TaskId): void {
  told.set(deps, (told.get(deps) ?? new Set()).add(id));
}

/** True once for a pause that was told already. */
function wasTold(deps: TaskRoom, id: TaskId): boolean {
  return told.get(deps)?.delete(id) ?? false;
}
