// What becomes of subtasks with their parent: a file whose status says `deleted` (G5) goes where our own delete puts it, its subtasks
// before it; those of a canceled task are canceled (S11), but the ones that mirror an issue are left, and noted for the person.
import { basename } from 'node:path';
import { removeKey, setKey } from '../../core/document/document.ts';
import { isPassing, RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import { MAX_NAME_BYTES, nameOfPath, shortenName } from '../../core/task/names.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { moveFile } from '../../store/write/move-file.ts';
import { isMirrored, parentsOf, subtasksOf, subtasksToCascade } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import { mustReadTask, readFileRow } from './read-file-row.ts';

const TRASH = '.taskroom/attic';

/** Moves a task's file to the trash. Returns where it lies now, relative to the room. @throws RoomError `not_found`, `io`, `locked` */
export function moveToTrash(deps: TaskRoom, path: string): string {
  const day = new Date(deps.effects.now()).toISOString().slice(0, 10);
  const wanted = `${TRASH}/${day}-${shortenName(nameOfPath(path), MAX_NAME_BYTES)}.md`;
  // The transaction keeps our own writers from putting the file back at that moment.
  const to = deps.ledger.transaction(() => moveFile(deps.room.at(path), deps.room.at(wanted)));
  return `${TRASH}/${basename(to)}`;
}

/** Notes that a person deleted or archived a file, so that it can be taken back. @param to where it lies now */
export function notePersonsMove(
  { writer }: TaskRoom,
  move: { path: string; task: string | null; command: string | null },
  to: string,
): void {
  try {
    writer.persons.deleted(move, to);
  } catch (error) {
    // The file is moved all the same, and the answer says where it lies: only `undo` does not know of it.
    if (!isPassing(error)) throw error;
  }
}

/** Moves a file that still says `deleted` to the trash, its subtasks' files before it (C1); returns those paths. @throws RoomError `io`, `locked` */
export async function hideDeleted(deps: TaskRoom, path: string): Promise<string[]> {
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable' || row.reading.ok || !row.reading.invalid.deleted) return [];
  const memory = deps.ledger.tasks.byPath(path);
  const below = memory === null ? [] : subtasksToCascade(deps.ledger, memory);
  const paths = [...below.map((child) => child.path!), path];
  for (const each of paths) moveToTrash(deps, each);
  return paths;
}

/** Cancels the open subtasks of a task, one level; one of another open task too goes on. Returns those whose files were written.
 * @param at when the task was canceled, epoch ms: repeated after a crash, nothing is written twice
 * @throws RoomError `io`, `locked` */
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

async function cancelOne(deps: TaskRoom, { id, path }: TaskMemory, parent: TaskMemory, at: number) {
  const text = `Canceled with ${parent.name}, its parent.`;
  const block = asNote(formatProgress({ atMs: deps.effects.now(), text }));
  const append = [{ section: 'Progress' as const, block, key: `cascade:${id}:${parent.id}:${at}` }];
  const edit = (before: string) => canceledText(deps, path!, id, before);
  try {
    await deps.writer.edit(path!, { actor: 'runtime', task: id, edit, append });
    return null;
  } catch (error) {
    if (!(error instanceof RoomError) || isPassing(error)) throw error;
    return 'invalid';
  }
}

/** @throws RoomError `invalid_file`, `conflict` for a file that is not this task's any more */
function canceledText(deps: TaskRoom, path: string, id: TaskId, text: string): string {
  const task = mustReadTask(deps, path, text);
  if (task.id !== id) throw new RoomError('conflict', `${path} is another task now`);
  if (isFinished(task.status)) return text;
  return removeKey(setKey(text, 'status', 'canceled', path), 'completed_by', path);
}
