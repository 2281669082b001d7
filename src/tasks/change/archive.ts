// Finished tasks leave tasks/ for archive/YYYY-MM/, their bytes unchanged. The ledger keeps their status, so that
// what waits for them still finds them done.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { moveBack, moveFile } from '../../store/write/move-file.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { applyConsequences } from '../observe/apply-consequences.ts';
import { recordReading } from '../observe/observer.ts';
import { readFileRow } from '../observe/read-file-row.ts';
import type { TaskRoom } from '../task-room.ts';

/**
 * Archives every task that has been finished for longer than the settings keep it in tasks/.
 * @returns how many were moved
 * @throws RoomError `io` when the disk refuses; what was moved before stays so
 */
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

/**
 * Moves the file of a finished task to the archive and tells of it.
 * @param memory of a task with a file
 * @returns where it lies now, relative to the room
 * @throws RoomError `refused` while it is open or a turn runs, `conflict` when the file changes meanwhile,
 *   `not_found`, `invalid_file`, `io`, `locked`
 */
export async function archiveOne(deps: TaskRoom, memory: TaskMemory): Promise<string> {
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
