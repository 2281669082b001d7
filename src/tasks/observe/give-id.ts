// Ids that the runtime writes into files: to a file without one, and to a copy that carries another task's. Of several files with
// one id the task is the path where it was last seen, as long as it stands there; at the first look at a room, the one that
// no name tells to be a copy.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { removeKey, setKey } from '../../core/document/document.ts';
import { hasCode, isRoomError, RoomError } from '../../core/errors.ts';
import { newTaskId, type TaskId } from '../../core/ids.ts';
import { isOriginal, nameOfPath } from '../../core/task/names.ts';
import { isTaskFile } from '../../store/files/scan.ts';
import type { FileRow } from '../../store/ledger/tasks/files.ts';
import type { TaskRoom } from '../task-room.ts';
import { mustReadTask } from './read-file-row.ts';

/** Gives the file an id that was never used, unless it has one. Returns that; null when it is gone or can't be read. @throws RoomError */
export async function giveId(deps: TaskRoom, path: string): Promise<TaskId | null> {
  const id = freshTaskId(deps);
  return editId(deps, path, id, (text) =>
    mustReadTask(deps, path, text).id === null ? setKey(text, 'id', id, path) : text,
  );
}

/** Makes a copied file a task of its own: a new id, and no `remote:`, since the mirror stays with the original. Does nothing when the file
 * is no copy (any more). Returns as `giveId`. */
export async function splitCopy(deps: TaskRoom, path: string): Promise<TaskId | null> {
  const id = freshTaskId(deps);
  let of: { id: TaskId; name: string } | null = null;
  const now = await editId(deps, path, id, (text) => {
    const task = mustReadTask(deps, path, text);
    of = null;
    if (task.id === null || !isCopy(deps, path, task.id)) return text;
    of = { id: task.id, name: task.name };
    return asOwnTask(text, id, path);
  });
  // The closure above assigns it; the checker does not see that.
  const split = of as { id: TaskId; name: string } | null;
  if (split !== null && now === id)
    deps.events.emit({ type: 'task.copied', id, name: split.name, of: split.id });
  return now;
}

/** The id of a task that was looked up; its file gets one where it has none of its own. @throws RoomError `conflict`, `io`, `locked` */
export async function settleId(
  deps: TaskRoom,
  { id, path, task }: { id: TaskId | null; path: string; task: { id: TaskId | null } },
): Promise<TaskId> {
  const own = id ?? (await (task.id === null ? giveId : splitCopy)(deps, path));
  if (own !== null) return own;
  throw new RoomError('conflict', `${path} is being changed`, 'try again in a moment');
}

/** Whether a file with this id is a copy: the task is known under another path that still holds it. */
export const isCopy = (deps: TaskRoom, path: string, id: TaskId): boolean =>
  homeElsewhere(deps, path, id) !== null;

/** A copy's text with an id of its own and without its mirror. */
export const asOwnTask = (text: string, id: TaskId, path: string): string =>
  removeKey(setKey(text, 'id', id, path), 'remote', path);

async function editId(deps: TaskRoom, path: string, id: TaskId, edit: (text: string) => string) {
  try {
    const { after } = await deps.writer.edit(path, { actor: 'runtime', task: id, edit, id });
    return mustReadTask(deps, path, after).id;
  } catch (error) {
    if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) return null;
    throw error;
  }
}

/** Where else a task is than at `path`: its file in tasks/ or in the archive; null when it is nowhere else. */
export function homeElsewhere(deps: TaskRoom, path: string, id: TaskId): string | null {
  const memory = deps.ledger.tasks.get(id);
  const home = memory?.path ?? memory?.archived ?? null;
  if (home === null || home === path) return null;
  // It is there, and still that task's.
  const other = deps.ledger.files.get(home);
  const holds = other === null || !other.reading.ok || other.reading.task.id === id;
  return holds && isTaskFile(deps.room.at(home)) ? home : null;
}

/** Whether a file is the original of a copy seen before it. Only at the first look: later the known path keeps the id. */
export function takesOver({ ledger }: TaskRoom, row: FileRow, rival: string): boolean {
  const other = ledger.files.get(rival);
  if (other === null || ledger.meta.wasLookedAt()) return false;
  const named = ({ path, stamp }: FileRow) => ({ name: nameOfPath(path), mtimeMs: stamp.mtimeMs });
  return isOriginal(named(row), named(other));
}

interface HistoryIds {
  ids: Set<string>;
  upTo: number; // Bytes of the file that were looked at; always the end of a line.
}

const known = new WeakMap<TaskRoom, HistoryIds>();
const CHUNK = 1024 * 1024;
const HEAD_CHARS = 256;

/** A new id that no task of this room ever had. Throws RoomError `io` when the history can't be read. */
export function freshTaskId(deps: TaskRoom): TaskId {
  for (;;) {
    const id = newTaskId(deps.effects.randomBytes);
    const used = deps.ledger.tasks.get(id) !== null || deps.ledger.files.pathsOfId(id).length > 0;
    if (!used && !historyIds(deps).has(id)) return id;
  }
}

function historyIds(deps: TaskRoom): ReadonlySet<string> {
  const state = known.get(deps) ?? { ids: new Set<string>(), upTo: 0 };
  known.set(deps, state);
  try {
    const size = statSync(deps.room.historyPath, { throwIfNoEntry: false })?.size ?? 0;
    if (size !== state.upTo) readOn(deps.room.historyPath, state);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return state.ids;
    throw new RoomError('io', `can't read ${deps.room.historyPath}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check its permissions',
    });
  }
  return state.ids;
}

/** Takes in the lines that were added since last time; only the head of each, where the id stands. */
function readOn(path: string, state: HistoryIds): void {
  const file = openSync(path, 'r');
  try {
    // A file that shrank is another one.
    if (fstatSync(file).size < state.upTo) state.upTo = 0;
    const buffer = Buffer.alloc(CHUNK);
    for (let rest = ''; ; ) {
      const count = readSync(file, buffer, 0, CHUNK, state.upTo + rest.length);
      if (count === 0) return;
      const lines = (rest + buffer.toString('latin1', 0, count)).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const id = /"id":"([0-9A-Za-z_.-]+)"/.exec(line.slice(0, HEAD_CHARS))?.[1];
        if (id !== undefined) state.ids.add(id);
        state.upTo += line.length + 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
