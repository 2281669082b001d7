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

function others(id: string, tasks: readonly TaskMemory[]): TaskMemory[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  byId.delete(id as TaskMemory['id']);
  return [...byId.values()];
}
