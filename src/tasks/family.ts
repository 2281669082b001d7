// Who is whose subtask, by what the ledger knows: a file's `parent:` and a link in a step of the parent count alike,
// whoever wrote them.
import type { Ledger } from '../store/ledger/ledger.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';
import { findByRef, namesOfTask } from './references.ts';

type Names = Pick<TaskMemory, 'id' | 'name'>;

/** The subtasks of a task, with or without a file. */
export function subtasksOf(ledger: Ledger, { id, name }: Names): TaskMemory[] {
  const linked = ledger.stepLinks.of(id).flatMap((ref) => findByRef(ledger, ref) ?? []);
  return others(id, [...ledger.tasks.children(namesOfTask(ledger, id, name)), ...linked]);
}

/** The tasks it is a subtask of: most have one, or none. */
export function parentsOf(
  ledger: Ledger,
  { id, name, parent }: Names & Pick<TaskMemory, 'parent'>,
): TaskMemory[] {
  const named = parent === null ? null : findByRef(ledger, parent);
  const holders = ledger.stepLinks.holders(namesOfTask(ledger, id, name));
  return others(id, [
    ...(named === null ? [] : [named]),
    ...holders.flatMap((task) => ledger.tasks.get(task) ?? []),
  ]);
}

/** Whether a tracker, not this room, decides what becomes of it; a detached mirror is nobody's but ours. */
export function isMirrored(ledger: Ledger, { id, path }: Pick<TaskMemory, 'id' | 'path'>): boolean {
  const mirror = ledger.mirrors.byTask(id);
  if (mirror !== null) return mirror.state !== 'detached';
  const reading = path === null ? undefined : ledger.files.get(path)?.reading;
  // A mirror that no sync has rebuilt yet, in a fresh clone.
  return reading?.ok === true && reading.task.remote !== null;
}

/**
 * The subtasks with a file that go where their parent goes, deepest first, through all levels. One that mirrors an issue is
 * its tracker's, and one that is the subtask of another task too belongs to that as well: both stay, with all below them.
 */
export function subtasksToCascade(ledger: Ledger, top: Names): TaskMemory[] {
  const going = new Map<string, TaskMemory | null>([[top.id, null]]);
  const found: TaskMemory[] = [];
  const descend = (of: Names): void => {
    for (const child of subtasksOf(ledger, of)) {
      if (going.has(child.id) || child.path === null || isMirrored(ledger, child)) continue;
      if (parentsOf(ledger, child).some(({ id, path }) => path !== null && !going.has(id))) continue;
      going.set(child.id, child);
      descend(child);
      found.push(child);
    }
  };
  descend(top);
  return found;
}

function others(id: string, tasks: readonly TaskMemory[]): TaskMemory[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  byId.delete(id as TaskMemory['id']);
  return [...byId.values()];
}
