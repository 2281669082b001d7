// Canceling the subtasks of a canceled task (S11). Those that mirror an issue are left, and noted for the person.
import { removeKey, setKey } from '../../core/document/document.ts';
import { isPassing, RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import { isFinished } from '../../core/task/status.ts';
import type { UnresolvedChild } from '../../store/ledger/tasks/links.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { isMirrored, parentsOf, subtasksOf } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import { mustReadTask } from './read-file-row.ts';

/**
 * Cancels the open subtasks of a task, one level; one of another open task too goes on. Returns those whose files were written.
 * @param at when the task was canceled, epoch ms: repeated after a crash, nothing is written twice
 * @throws RoomError `io`, `locked`
 */
export async function cancelSubtasks(deps: TaskRoom, id: TaskId, at: number): Promise<TaskMemory[]> {
  const { ledger } = deps;
  const parent = ledger.tasks.get(id);
  // Opened again meanwhile: nobody wants that any more.
  if (parent === null || parent.status !== 'canceled') return [];
  const canceled: TaskMemory[] = [];
  for (const child of subtasksOf(ledger, parent)) {
    if (child.path === null || isFinished(child.status)) continue;
    if (parentsOf(ledger, child).some(({ path, status }) => path !== null && !isFinished(status))) continue;
    const left = isMirrored(ledger, child) ? 'mirrored' : await cancelOne(deps, child, parent, at);
    if (left === null) canceled.push(child);
    else ledger.unresolvedChildren.put({ task: child.id, parent: id, reason: left, at });
  }
  return canceled;
}

async function cancelOne(
  deps: TaskRoom,
  { id, path }: TaskMemory,
  parent: TaskMemory,
  at: number,
): Promise<UnresolvedChild['reason'] | null> {
  const text = `Canceled with ${parent.name}, its parent.`;
  const block = asNote(formatProgress({ atMs: deps.effects.now(), text }));
  const append = [{ section: 'Progress' as const, block, key: `cascade:${id}:${parent.id}:${at}` }];
  const edit = (before: string) => canceledText(path!, id, before);
  try {
    await deps.writer.edit(path!, { actor: 'runtime', task: id, edit, append });
    return null;
  } catch (error) {
    if (!(error instanceof RoomError) || isPassing(error)) throw error;
    return 'invalid';
  }
}

/** @throws RoomError `invalid_file`, `conflict` for a file that is not this task's any more */
function canceledText(path: string, id: TaskId, text: string): string {
  const task = mustReadTask(path, text);
  if (task.id !== id) throw new RoomError('conflict', `${path} is another task now`);
  if (isFinished(task.status)) return text;
  return removeKey(setKey(text, 'status', 'canceled', path), 'completed_by', path);
}
