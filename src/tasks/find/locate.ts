// From a person's word to a task's file: straight to it when the word is a full id or a file name, else by a look at
// everything there is.

import type { TaskId } from '../../core/ids.ts';
import { safeFileName } from '../../core/task/file-name.ts';
import type { Task } from '../../core/task/task.ts';
import { sleep } from '../../effects.ts';
import { isTaskFile, passedOver } from '../../store/scan.ts';
import { isCopy } from '../observe/give-id.ts';
import { readFileRow, readTaskFile } from '../observe/read-file-row.ts';
import { takeSnapshot } from '../observe/snapshot.ts';
import { chooseByWord, idOfRef, namesOfWord, throughIssue } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRoom } from '../task-room.ts';
import { candidates } from './candidates.ts';
import { refuseWithoutFile } from './missing-file.ts';

// What file systems allow, less `.md`.
const MAX_FILE_NAME = 252;
const ID_WAIT_MS = 2_000;
const ID_LOOK_MS = 50;

/** A task's file as it stands now. */
export interface Target {
  path: string;
  /** Null when it has none, or only that of the task it was copied from. */
  id: TaskId | null;
  task: Task;
  text: string;
}

/**
 * The file of the task that a word means, read.
 * @throws RoomError `not_found`, `ambiguous`, `invalid_file`, `io`; `refused` for a task whose file is archived or gone
 */
export async function locateTask(handle: RoomHandle, given: string): Promise<Target> {
  const { deps } = handle;
  const word = throughIssue(deps.ledger, given);
  const known = deps.ledger.tasks.get(idOfRef(word))?.path ?? null;
  if (known !== null && isFile(handle, known)) {
    const target = await openAs(handle, known, idOfRef(word));
    // Another task may have taken the file name since.
    if (target.id === idOfRef(word)) return target;
  }
  const path = await locatePath(handle, word);
  return open(handle, path);
}

/** The path of the file that a word means, readable as a task or not. Throws as `locateTask`. */
export async function locatePath(handle: RoomHandle, given: string): Promise<string> {
  const { deps } = handle;
  const word = throughIssue(deps.ledger, given);
  const memory = deps.ledger.tasks.get(idOfRef(word));
  if (memory?.path && isFile(handle, memory.path)) {
    const row = await readFileRow(deps, memory.path);
    const holds =
      row !== null && row !== 'unstable' && (!row.reading.ok || row.reading.task.id === memory.id);
    if (holds) return memory.path;
  }
  if (memory === null) {
    // The words a task was made with name its file too.
    const direct = pathOfWordAsName(deps, word) ?? pathOfName(deps, safeFileName(word) ?? '');
    if (direct !== null) return direct;
  }
  const found = chooseByWord(word, candidates(handle, await takeSnapshot(handle)));
  if (found.path !== null) return found.path;
  throw refuseWithoutFile(handle, found);
}

/** A save under way, or one of a stale buffer, may lack the id for a moment: it is waited for, and put back. */
async function openAs(handle: RoomHandle, path: string, id: string): Promise<Target> {
  const { effects, writer } = handle.deps;
  const giveUpAt = effects.monotonicMs() + ID_WAIT_MS;
  for (;;) {
    const target = await open(handle, path);
    if (target.task.id !== null || target.id === id || effects.monotonicMs() >= giveUpAt) return target;
    await writer.restore(path);
    await sleep(effects, ID_LOOK_MS);
  }
}

async function open(handle: RoomHandle, path: string): Promise<Target> {
  const { task, text } = await readTaskFile(handle.deps, path);
  const borrowed = task.id !== null && isCopy(handle.deps, path, task.id);
  return { path, id: borrowed ? null : task.id, task, text };
}

/** The path of the task file that a word names; null when it names none. */
export function pathOfWordAsName(deps: TaskRoom, word: string): string | null {
  for (const name of namesOfWord(word)) {
    const path = pathOfName(deps, name);
    if (path !== null) return path;
  }
  return null;
}

/** The path of the task file of that name, null when there is none or no file can have that name. */
export function pathOfName(deps: TaskRoom, name: string): string | null {
  const possible = name !== '' && !/[/\0]/.test(name) && Buffer.byteLength(name) <= MAX_FILE_NAME;
  if (!possible || passedOver(`${name}.md`) !== null) return null;
  const path = `tasks/${name}.md`;
  return isTaskFile(deps.room.at(path)) ? path : null;
}

function isFile(handle: RoomHandle, path: string): boolean {
  return isTaskFile(handle.deps.room.at(path));
}
