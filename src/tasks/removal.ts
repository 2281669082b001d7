// Taking a task out of tasks/ on demand: into the attic, or, when it is finished, into the archive.
import { basename } from 'node:path';
import { RoomError } from '../core/errors.ts';
import { MAX_NAME_BYTES, shortenName } from '../core/file-name.ts';
import type { TaskId } from '../core/ids.ts';
import { isFinished } from '../core/status.ts';
import { nameOfPath } from '../core/task-name.ts';
import { moveFile } from '../store/move-file.ts';
import { archiveOne } from './archive.ts';
import { assertMayChange } from './change.ts';
import type { Desk } from './desk.ts';
import { giveId, splitCopy } from './give-id.ts';
import { locatePath, locateTask } from './locate.ts';
import { recordReading } from './observer.ts';
import type { Changed, Removed } from './operations.ts';
import { readFileRow } from './read-file-row.ts';
import { announceGone, refresh } from './refresh.ts';
import type { Actor } from './task-room.ts';

const ATTIC = '.taskroom/attic';

/**
 * Moves a task's file to the attic, readable as a task or not. What follows is what follows a deletion.
 * @throws RoomError `not_found`, `ambiguous`, `not_allowed`, `io`, `locked`
 */
export async function removeTask(desk: Desk, ref: string, actor: Actor): Promise<Removed> {
  const { deps } = desk;
  await refresh(desk);
  const path = await locatePath(desk, ref);
  const id = await idAt(desk, path);
  assertMayChange(deps, actor, id);
  const name = nameOfPath(path);
  const day = new Date(deps.effects.now()).toISOString().slice(0, 10);
  const wanted = `${ATTIC}/${day}-${shortenName(name, MAX_NAME_BYTES)}.md`;
  // The transaction keeps our own writers from putting the file back at that moment.
  const to = deps.ledger.transaction(() => moveFile(deps.room.at(path), deps.room.at(wanted)));
  await announceGone(desk, path, actor);
  const attic = `${ATTIC}/${basename(to)}`;
  return { id, name, path, changed: true, attic };
}

async function idAt({ deps }: Desk, path: string): Promise<TaskId | null> {
  const row = await readFileRow(deps, path);
  if (row !== null && row !== 'unstable' && row.reading.ok) return row.reading.task.id;
  return deps.ledger.tasks.byPath(path)?.id ?? null;
}

/**
 * Moves a finished task to archive/YYYY-MM/, the month of its finish.
 * @throws RoomError `refused` for an open one or while a turn runs, and as `changeTask`
 */
export async function archiveTask(desk: Desk, ref: string, actor: Actor): Promise<Changed> {
  const { deps } = desk;
  await refresh(desk);
  const target = await locateTask(desk, ref);
  assertMayChange(deps, actor, target.id);
  const { status, name } = target.task;
  if (!isFinished(status)) {
    throw new RoomError('refused', `${name} is ${status}: only done and canceled tasks are archived`, {
      hint: `finish it first: taskroom done ${JSON.stringify(name)}`,
    });
  }
  const id = target.id ?? (await (target.task.id === null ? giveId : splitCopy)(deps, target.path));
  // Not known yet: a file that was just given its id, or that the daemon has not looked at.
  if (id !== null && deps.ledger.tasks.get(id)?.path !== target.path) await learn(desk, target.path);
  const memory = id === null ? null : deps.ledger.tasks.get(id);
  if (id === null || memory?.path !== target.path) {
    throw new RoomError('conflict', `${target.path} is being changed`, { hint: 'try again in a moment' });
  }
  const path = await archiveOne(deps, memory);
  desk.ports.ring();
  return { id, name, path, changed: true };
}

async function learn({ deps }: Desk, path: string): Promise<void> {
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable') return;
  const { text: _, ...reading } = row;
  recordReading(deps, reading);
}
