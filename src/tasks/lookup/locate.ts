// From a word to a task's file: at once where the word is a full id or a file name, else by a look at all files.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setKey } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { MAX_NAME_BYTES, safeFileName, shortenName } from '../../core/task/names.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { sleep } from '../../effects.ts';
import { type HistoryLine, readHistory } from '../../store/files/history.ts';
import { isTaskFile, passedOver } from '../../store/files/scan.ts';
import { isCopy } from '../observe/give-id.ts';
import { readFileRow, readTaskFile } from '../observe/read-file-row.ts';
import { refresh, refreshPath } from '../observe/refresh.ts';
import { chooseTask } from '../observe/snapshot.ts';
import { readText } from '../observe/take-in.ts';
import { type Candidate, idOfRef, namesOfWord, throughIssue } from '../references.ts';
import type { RoomHandle, TaskRoom } from '../task-room.ts';

const MAX_FILE_NAME = 252; // What file systems allow, less `.md`.
const ID_WAIT_MS = 2_000;
const ID_LOOK_MS = 50;

/** A task's file as it stands now. */
export interface Target {
  path: string;
  id: TaskId | null; // Null when it has none, or only that of the task it was copied from.
  task: Task;
  text: string;
}

/** @throws RoomError `not_found`, `ambiguous`, `invalid_file`, `io`; `refused` for a task whose file is archived */
export async function locateTask(deps: RoomHandle, given: string): Promise<Target> {
  const word = throughIssue(deps.ledger, given);
  const known = deps.ledger.tasks.get(idOfRef(word))?.path ?? null;
  if (known !== null && isTaskFile(deps.room.at(known))) {
    const target = await openAs(deps, known, idOfRef(word));
    // Another task may have taken the file name since.
    if (target.id === idOfRef(word)) return target;
  }
  return open(deps, await locatePath(deps, word));
}

/** The path of the file that a word means, readable as a task or not. Throws as `locateTask`. */
export async function locatePath(deps: RoomHandle, given: string): Promise<string> {
  const word = throughIssue(deps.ledger, given);
  const memory = deps.ledger.tasks.get(idOfRef(word));
  if (memory?.path && isTaskFile(deps.room.at(memory.path))) {
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
  const found = await chooseTask(deps, word);
  if (found.path !== null) return found.path;
  throw refuseWithoutFile(deps, found);
}

/** A save under way, or one of a stale buffer, may lack the id for a moment: it is waited for, and put back. */
async function openAs(deps: RoomHandle, path: string, id: string): Promise<Target> {
  const { effects, writer } = deps;
  const giveUpAt = effects.monotonicMs() + ID_WAIT_MS;
  for (;;) {
    const target = await open(deps, path);
    if (target.task.id !== null || target.id === id || effects.monotonicMs() >= giveUpAt) return target;
    await writer.restore(path);
    await sleep(effects, ID_LOOK_MS);
  }
}

async function open(deps: RoomHandle, path: string): Promise<Target> {
  const { task, text } = await readTaskFile(deps, path);
  const borrowed = task.id !== null && isCopy(deps, path, task.id);
  return { path, id: borrowed ? null : task.id, task, text };
}

export function pathOfWordAsName(deps: TaskRoom, word: string): string | null {
  for (const name of namesOfWord(word)) {
    const path = pathOfName(deps, name);
    if (path !== null) return path;
  }
  return null;
}

/** The path of the task file of that name, null when there is none or no file can have that name. */
function pathOfName(deps: TaskRoom, name: string): string | null {
  const possible = name !== '' && !/[/\0]/.test(name) && Buffer.byteLength(name) <= MAX_FILE_NAME;
  if (!possible || passedOver(`${name}.md`) !== null) return null;
  const path = `tasks/${name}.md`;
  return isTaskFile(deps.room.at(path)) ? path : null;
}

/** `refused` for an archived task, `not_found` for one whose file is gone; each says how to get it back. */
export function refuseWithoutFile(deps: RoomHandle, candidate: Candidate): RoomError {
  const { id, name } = candidate;
  const archived = id === null ? null : (deps.ledger.tasks.get(id)?.archived ?? null);
  if (archived !== null) {
    const hint = 'move the file back into tasks/ to go on with it';
    return new RoomError('refused', `${name} (${id}) is archived in ${archived}`, hint);
  }
  const kept = readGoneTask(deps, candidate)?.task.path;
  return new RoomError('not_found', `the file of ${name} (${id}) is gone`, {
    hint: kept?.startsWith('.taskroom/')
      ? `it lies in ${kept}: move it to tasks/${name}.md to go on with it`
      : 'no copy of it is kept; put one into tasks/ to go on with it',
  });
}

// Finding the task of a change: without a daemon only its file is looked at, where the word leads to one, else all are.

/** Takes in what happened to the task that `ref` means, and finds it. Throws as `locateTask`. */
export async function findTarget(deps: RoomHandle, ref: string): Promise<Target> {
  const path = await lookAtOne(deps, ref);
  if (path === null) await refresh(deps);
  return locateTask(deps, ref);
}

/** Takes in what happened to the file that a word means. Returns its path; null where only a look at all files can tell. */
export async function lookAtOne(deps: RoomHandle, ref: string): Promise<string | null> {
  const path = pathOfWord(deps, ref);
  if (path === null || !deps.ledger.meta.wasLookedAt()) return null;
  await refreshPath(deps, path);
  return pathOfWord(deps, ref) === path ? path : null;
}

/** The file that a full id or a file name means, by what the ledger knows; null for other words. */
export function pathOfWord(deps: RoomHandle, ref: string): string | null {
  const word = throughIssue(deps.ledger, ref);
  const memory = deps.ledger.tasks.get(idOfRef(word));
  if (memory === null) return pathOfWordAsName(deps, word);
  const { path } = memory;
  return path !== null && path === pathOfName(deps, memory.name) ? path : null;
}

/** @throws RoomError `not_found`, `ambiguous`, `invalid_file` */
export async function workspaceTask(deps: RoomHandle, word: string): Promise<{ id: TaskId; name: string }> {
  const [row] = deps.ledger.workspaces.of(word);
  if (row !== undefined) return { id: row.task, name: deps.ledger.tasks.get(row.task)?.name ?? row.task };
  const { id, task } = await locateTask(deps, word);
  if (id !== null) return { id, name: task.title ?? task.name };
  throw new RoomError('not_found', `${task.name} has no id yet, and no workspace`);
}

export type GoneTask = Pick<Target, 'task' | 'text'>;

const ATTIC = '.taskroom/attic';
const HISTORY = 'history.jsonl';
const MORE_BYTES = 20; // Longer than any day and number that a file's name got on its way to the attic.

/** The last that is known of a task without a file; null when nothing is kept. */
export function readGoneTask(deps: TaskRoom, { id, name }: Candidate): GoneTask | null {
  return (
    fromAttic(deps, id, name) ??
    fromHistory(deps, (line) => (id === null ? line.name === name : line.id === id))
  );
}

/** One of which the ledger knows nothing (it is new, or the file went a moment ago), by its id, name or title. */
export function readUnknownTask(deps: TaskRoom, word: string): GoneTask | null {
  const names = namesOfWord(word);
  const isNamed = (name: string | null) => name !== null && names.includes(name);
  return (
    inAttic(deps, '', ({ id, name, title }) => id === idOfRef(word) || isNamed(name) || isNamed(title)) ??
    fromHistory(deps, ({ id, name }) => id === idOfRef(word) || names.includes(name))
  );
}

function fromAttic(deps: TaskRoom, id: string | null, name: string): GoneTask | null {
  const found = inAttic(deps, shortenName(name, MAX_NAME_BYTES - MORE_BYTES), (task) => task.id === id);
  return found === null ? null : { ...found, task: { ...found.task, name } };
}

/** @param part of the file's name */
function inAttic(
  { room, config }: TaskRoom,
  part: string,
  isWanted: (task: Task) => boolean,
): GoneTask | null {
  // Names begin with a day: the newest first.
  if (!existsSync(room.trashDir)) return null;
  const files = readdirSync(room.trashDir).filter((file) => file.endsWith('.md') && file.includes(part));
  for (const file of files.sort().reverse()) {
    const found = readOne(join(room.trashDir, file), `${ATTIC}/${file}`, config);
    if (found !== null && isWanted(found.task)) return found;
  }
  return null;
}

function fromHistory({ room }: TaskRoom, isWanted: (line: HistoryLine) => boolean): GoneTask | null {
  const [line] = readHistory(room.historyPath, 1, isWanted);
  if (line === undefined || line.text === '') return null;
  const reading = readTask(HISTORY, line.text, null);
  if (!reading.ok) return null;
  const { id, name, status } = line;
  return { task: { ...reading.task, id, name, status } as Task, text: line.text };
}

function readOne(absolute: string, path: string, config: TaskRoom['config']): GoneTask | null {
  const given = readText(absolute);
  if (given === null) return null;
  const first = readTask(path, given, config);
  // A file that says `deleted` itself names no status: it is read as one that is canceled.
  const isDeleted = !first.ok && first.invalid.deleted === true;
  const text = isDeleted ? setKey(given, 'status', 'canceled', path) : given;
  const reading = isDeleted ? readTask(path, text, config) : first;
  if (!reading.ok) return null;
  // Deleting put a day before its name, and a number behind one that was taken.
  const name = reading.task.name.replace(/^\d{4}-\d\d-\d\d-/, '').replace(/ \(\d+\)$/, '');
  return { task: { ...reading.task, name }, text };
}
