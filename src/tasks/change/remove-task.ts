// Files leave tasks/: finished ones for archive/YYYY-MM/, where the ledger keeps their status for what waits for them; deleted ones, with
// those of their subtasks, for the attic.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { isFinished, type Status } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { moveBack, moveFile } from '../../store/write/move-file.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { findTarget, locatePath, lookAtOne } from '../lookup/locate.ts';
import { applyConsequences } from '../observe/consequences.ts';
import { settleId } from '../observe/give-id.ts';
import { moveToTrash, notePersonsMove } from '../observe/hide-deleted.ts';
import { recordReading } from '../observe/observer.ts';
import { invalidFile, readFileRow } from '../observe/read-file-row.ts';
import { announceGone, refresh } from '../observe/refresh.ts';
import { subtasksToCascade } from '../references.ts';
import type { Changed, Removed } from '../shapes/change.ts';
import { type Actor, asOneCommand, commandOf, type RoomHandle, type TaskRoom } from '../task-room.ts';
import { assertMayChange } from './change.ts';

/** Moves a task's file to the attic, readable or not, and before it those of its subtasks (C1). @throws RoomError as `tasksToDelete`, `io`, `locked` */
export async function removeTask(deps: RoomHandle, ref: string, actor: Actor): Promise<Removed> {
  const { own, below } = await tasksToDelete(deps, ref, actor);
  const subtasks: Removed[] = [];
  const by = asOneCommand(actor, deps.effects);
  // From below, so that a crash in between leaves no subtask without its parent.
  for (const task of below) subtasks.push(await removeOne(deps, task, by));
  const removed = await removeOne(deps, own, by);
  return subtasks.length === 0 ? removed : { ...removed, subtasks };
}

async function removeOne(deps: RoomHandle, { id, name, path }: ToDelete, actor: Actor): Promise<Removed> {
  const attic = moveToTrash(deps, path);
  if (actor.kind === 'person') notePersonsMove(deps, { path, task: id, command: commandOf(actor) }, attic);
  await announceGone(deps, path, actor);
  return { id, name, path, changed: true, attic };
}

type ToDelete = Pick<Removed, 'id' | 'name' | 'path'>;

/** Returns the task and the subtasks deleted with it, deepest first; only the task when `alone`. Subtasks that mirror an issue or
 * belong to another task too stay. @throws RoomError `not_found`, `ambiguous`, `not_allowed` */
export async function tasksToDelete(deps: RoomHandle, ref: string, actor: Actor, alone = false) {
  let path = await lookAtOne(deps, ref);
  if (path === null) {
    await refresh(deps);
    path = await locatePath(deps, ref);
  }
  const { id, parent, owner } = await knownAt(deps, path);
  const own = { id, name: nameOfPath(path), path };
  assertMayChange(deps, actor, { id, task: { name: own.name, parent, owner } });
  if (id === null || alone) return { own, below: [] };
  // A subtask that was made by hand and not seen yet is one too.
  await refresh(deps);
  const below = subtasksToCascade(deps.ledger, { id, name: own.name });
  for (const child of below) assertMayChange(deps, actor, { id: child.id, task: child });
  return { own, below: below.map(({ id, name, path }): ToDelete => ({ id, name, path: path! })) };
}

async function knownAt(deps: RoomHandle, path: string) {
  const row = await readFileRow(deps, path);
  if (row !== null && row !== 'unstable' && row.reading.ok) return row.reading.task;
  return deps.ledger.tasks.byPath(path) ?? { id: null, parent: null, owner: null };
}

/** Archives what has been finished for longer than the settings keep it; returns how many. @throws RoomError `io` */
export async function archiveDue(deps: TaskRoom): Promise<number> {
  const due = deps.ledger.tasks.finishedBefore(deps.effects.now() - deps.config().archiveAfterMs);
  let moved = 0;
  for (const memory of due) {
    try {
      await archiveOne(deps, { ...memory, path: memory.path! });
      moved += 1;
    } catch (error) {
      // Reopened, edited, broken or gone since: the next round sees what has become of it.
      if (!isRoomError(error) || !['refused', 'conflict', 'not_found', 'invalid_file'].includes(error.code))
        throw error;
    }
  }
  return moved;
}

type Placed = Pick<TaskMemory, 'id' | 'name'> & { path: string };

/** Returns where the file lies now. @throws RoomError `refused` while the task is open or a turn runs, `conflict`, `not_found`, `invalid_file`, `io`, `locked` */
async function archiveOne(deps: TaskRoom, { id, name, path }: Placed): Promise<string> {
  const row = await readFileRow(deps, path);
  if (row === null) throw new RoomError('not_found', `${path} is gone`);
  if (row === 'unstable') throw changing(path);
  if (!row.reading.ok) throw invalidFile(path, row.reading.invalid.problems);
  const { task } = row.reading;
  if (task.id !== id) throw new RoomError('conflict', `${path} is another task now`);
  assertFinished(name, id, task.status);
  const hint = `wait for its end, or: taskroom kill ${id}`;
  if (deps.ledger.turns.runningOn(threadOfTask(id)) !== null)
    throw new RoomError('refused', `a turn still runs on ${name}`, hint);
  // What is archived was observed: its finish must have its history line, made of the text that leaves.
  const { text: _, ...reading } = row;
  const { look } = recordReading(deps, reading);
  if (look.length > 0) deps.ledger.messages.send({ kind: 'look', tasks: look }, deps.effects.now());
  await applyConsequences(deps);
  // Another file has its id.
  if (deps.ledger.tasks.get(id)?.path !== path) throw changing(path);
  const archived = moveToArchive(deps, id, path, row.hash);
  deps.events.emit({ type: 'task.archived', id, name: task.name, path: archived });
  return archived;
}

function assertFinished(name: string, word: string, status: Status): void {
  if (isFinished(status)) return;
  const hint = `finish it first: taskroom done ${word}`;
  throw new RoomError('refused', `${name} is ${status}: only done and canceled tasks are archived`, hint);
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

const changing = (path: string): RoomError =>
  new RoomError('conflict', `${path} is being changed`, {
    hint: 'try again in a moment',
    retryAfterMs: 2000,
  });

/** @throws RoomError `refused` for an open task or while a turn runs, and as `changeTask` */
export async function archiveTask(deps: RoomHandle, ref: string, actor: Actor): Promise<Changed> {
  const target = await findTarget(deps, ref);
  assertMayChange(deps, actor, target);
  const { status, name } = target.task;
  assertFinished(name, target.id ?? JSON.stringify(name), status);
  const id = await settleId(deps, target);
  const path = await archiveOne(deps, { id, name, path: target.path });
  if (actor.kind === 'person')
    notePersonsMove(deps, { path: target.path, task: id, command: commandOf(actor) }, path);
  deps.ports.ring();
  return { id, name, path, changed: true };
}
