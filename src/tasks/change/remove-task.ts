// Tasks leave tasks/: finished ones for archive/YYYY-MM/, their status kept in the ledger for what waits for them; others for the attic.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { moveBack, moveFile } from '../../store/write/move-file.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { findTarget, locatePath, lookAtOne } from '../lookup/locate.ts';
import { applyConsequences } from '../observe/consequences.ts';
import { settleId } from '../observe/give-id.ts';
import { moveToTrash } from '../observe/hide-deleted.ts';
import { recordReading } from '../observe/observer.ts';
import { readFileRow } from '../observe/read-file-row.ts';
import { announceGone, refresh } from '../observe/refresh.ts';
import { subtasksToCascade } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed, Removed } from '../shapes/change.ts';
import type { Actor, TaskRoom } from '../task-room.ts';
import { assertMayChange } from './change.ts';

/** Archives what has been finished for longer than the settings keep it; returns how many. @throws RoomError `io` */
export async function archiveDue(deps: TaskRoom): Promise<number> {
  const due = deps.ledger.tasks.finishedBefore(deps.effects.now() - deps.config().archiveAfterMs);
  let moved = 0;
  for (const memory of due) {
    try {
      await archiveOne(deps, memory);
      moved += 1;
    } catch (error) {
      // Reopened, edited, broken or gone since: the next round sees what has become of it.
      if (!isRoomError(error) || !['refused', 'conflict', 'not_found', 'invalid_file'].includes(error.code))
        throw error;
    }
  }
  return moved;
}

/** Returns where the file lies now. @throws RoomError `refused` while the task is open or a turn runs, `conflict`, `not_found`, `invalid_file`, `io`, `locked` */
async function archiveOne(deps: TaskRoom, memory: TaskMemory): Promise<string> {
  const { id, path } = memory;
  if (path === null) throw new RoomError('not_found', `the file of ${memory.name} is gone`);
  const row = await readFileRow(deps, path);
  if (row === null) throw new RoomError('not_found', `${path} is gone`);
  if (row === 'unstable') throw changing(path);
  if (!row.reading.ok)
    throw new RoomError('invalid_file', `${path} can't be read as a task`, {
      problems: row.reading.invalid.problems,
    });
  const { task } = row.reading;
  if (task.id !== id) throw new RoomError('conflict', `${path} is another task now`);
  assertOver(deps, memory, task.status);
  // What is archived was observed: its finish must have its history line, made of the text that leaves.
  const { text: _, ...reading } = row;
  const { look } = recordReading(deps, reading);
  if (look.length > 0) deps.ledger.messages.send({ kind: 'look', tasks: look }, deps.effects.now());
  await applyConsequences(deps);
  const archived = moveToArchive(deps, id, path, row.hash);
  deps.events.emit({ type: 'task.archived', id, name: task.name, path: archived });
  return archived;
}

function assertOver(deps: TaskRoom, { id, name }: TaskMemory, status: TaskMemory['status']): void {
  if (!isFinished(status)) {
    throw new RoomError('refused', `${name} is ${status}: only done and canceled tasks are archived`, {
      hint: `finish it first: taskroom done ${id}`,
    });
  }
  if (deps.ledger.turns.runningOn(threadOfTask(id)) !== null) {
    throw new RoomError('refused', `a turn still runs on ${name}`, {
      hint: `wait for its end, or: taskroom kill ${id}`,
    });
  }
}

/** In one transaction with the record, which also keeps our own writers off the file: without the one there is not the other. */
function moveToArchive(deps: TaskRoom, id: TaskMemory['id'], path: string, hash: string): string {
  const from = deps.room.at(path);
  let to: string | null = null;
  const body = () => {
    const finishedAt = deps.ledger.tasks.get(id)?.finishedAt ?? deps.effects.now();
    const wanted = `archive/${new Date(finishedAt).toISOString().slice(0, 7)}/${basename(path)}`;
    to = moveFile(from, deps.room.at(wanted), () => {
      if (hashBytes(readFileSync(from)) !== hash) throw changing(path);
    });
    const archived = `${wanted.slice(0, wanted.lastIndexOf('/'))}/${basename(to)}`;
    deps.ledger.tasks.update(id, { path: null, archived });
    deps.ledger.files.delete(path);
    return archived;
  };
  try {
    return deps.ledger.transaction(body);
  } catch (error) {
    if (to !== null) moveBack(to, from);
    throw error;
  }
}

function changing(path: string): RoomError {
  return new RoomError('conflict', `${path} is being changed`, {
    hint: 'try again in a moment',
    retryAfterMs: 2000,
  });
}

/** Moves a task's file to the attic, readable or not, and before it those of its subtasks (C1). @throws RoomError as `doomedWith`, `io`, `locked` */
export async function removeTask(handle: RoomHandle, ref: string, actor: Actor): Promise<Removed> {
  const [own, ...below] = await doomedWith(handle, ref, actor);
  const subtasks: Removed[] = [];
  // From below, so that a crash in between leaves no subtask without its parent.
  for (const doomed of below) subtasks.push(await removeOne(handle, doomed, actor));
  const removed = await removeOne(handle, own, actor);
  return subtasks.length === 0 ? removed : { ...removed, subtasks };
}

async function removeOne(handle: RoomHandle, { id, name, path }: Doomed, actor: Actor): Promise<Removed> {
  const attic = moveToTrash(handle.deps, path);
  await announceGone(handle, path, actor);
  return { id, name, path, changed: true, attic };
}

interface Doomed {
  id: TaskId | null;
  name: string;
  path: string;
}

/**
 * Returns the task and the subtasks deleted with it, deepest first; only the task when `alone`. Subtasks that mirror an issue or
 * belong to another task too stay. @throws RoomError `not_found`, `ambiguous`, `not_allowed`
 */
export async function doomedWith(
  handle: RoomHandle,
  ref: string,
  actor: Actor,
  alone = false,
): Promise<[Doomed, ...Doomed[]]> {
  const { deps } = handle;
  const path = (await lookAtOne(handle, ref)) ?? (await pathAfterLook(handle, ref));
  const { id, parent, owner } = await knownAt(handle, path);
  const own = { id, name: nameOfPath(path), path };
  assertMayChange(deps, actor, { id, task: { name: own.name, parent, owner } });
  if (id === null || alone) return [own];
  // A subtask that was made by hand and not seen yet is one too.
  await refresh(handle);
  const below = subtasksToCascade(deps.ledger, { id, name: own.name });
  for (const child of below) assertMayChange(deps, actor, { id: child.id, task: child });
  return [own, ...below.map(({ id, name, path }) => ({ id, name, path: path! }))];
}

async function pathAfterLook(handle: RoomHandle, ref: string): Promise<string> {
  await refresh(handle);
  return locatePath(handle, ref);
}

async function knownAt(
  { deps }: RoomHandle,
  path: string,
): Promise<{ id: TaskId | null; parent: string | null; owner: string | null }> {
  const row = await readFileRow(deps, path);
  if (row !== null && row !== 'unstable' && row.reading.ok) return row.reading.task;
  return deps.ledger.tasks.byPath(path) ?? { id: null, parent: null, owner: null };
}

/** @throws RoomError `refused` for an open task or while a turn runs, and as `changeTask` */
export async function archiveTask(handle: RoomHandle, ref: string, actor: Actor): Promise<Changed> {
  const { deps } = handle;
  const target = await findTarget(handle, ref);
  assertMayChange(deps, actor, target);
  const { status, name } = target.task;
  if (!isFinished(status)) {
    throw new RoomError('refused', `${name} is ${status}: only done and canceled tasks are archived`, {
      hint: `finish it first: taskroom done ${JSON.stringify(name)}`,
    });
  }
  const id = await settleId(deps, target);
  // Not known yet: a file that was just given its id, or that the daemon has not looked at.
  if (deps.ledger.tasks.get(id)?.path !== target.path) await learn(handle, target.path);
  const memory = deps.ledger.tasks.get(id);
  if (memory?.path !== target.path) throw changing(target.path);
  const path = await archiveOne(deps, memory);
  handle.ports.ring();
  return { id, name, path, changed: true };
}

async function learn({ deps }: RoomHandle, path: string): Promise<void> {
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable') return;
  const { text: _, ...reading } = row;
  recordReading(deps, reading);
}
