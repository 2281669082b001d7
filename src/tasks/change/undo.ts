// Taking back what the person changed: by the rows that the writer keeps of a person's writes and deletions.
import { existsSync, readFileSync } from 'node:fs';
import { isRoomError, quoteWord, RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { readTask } from '../../core/task/read-task.ts';
import { keepInTrash } from '../../store/files/trash.ts';
import type { PersonsWrite } from '../../store/ledger/writes/persons-writes.ts';
import { moveFile } from '../../store/write/move-file.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { lookAtOne, readGoneTask } from '../lookup/locate.ts';
import { moveToTrash } from '../observe/hide-deleted.ts';
import { announce, announceGone, refresh } from '../observe/refresh.ts';
import { chooseTask } from '../observe/snapshot.ts';
import type { Changed } from '../shapes/change.ts';
import type { Actor, RoomHandle } from '../task-room.ts';

/** All that one command changed. @throws RoomError `not_found` without such a change, `conflict` where a file says something else by now */
export async function undoLast(deps: RoomHandle, actor: Actor): Promise<Changed & { tasks?: Changed[] }> {
  const [last, ...older] = deps.writer.persons.list();
  if (last === undefined)
    throw new RoomError('not_found', 'there is no change of yours to take back', 'they are kept for 30 days');
  const others = older.filter(({ command }) => command !== null && command === last.command);
  const writes = [last, ...others];
  // Only the last of several changes of one file left what it says now.
  const ends = writes.filter(({ path }, at) => writes.findIndex((each) => each.path === path) === at);
  for (const write of ends) assertAsLeft(deps, write);
  const tasks: Changed[] = [];
  for (const write of writes) tasks.push(await takeBack(deps, write, actor));
  return tasks.length === 1 ? tasks[0]! : { ...tasks[0]!, tasks };
}

function assertAsLeft({ room }: RoomHandle, write: PersonsWrite): void {
  const file = room.at(write.path);
  if (write.trashed !== null) return assertFree(file, write, write.trashed);
  const bytes = existsSync(file) ? readFileSync(file) : null;
  if (bytes === null || hashBytes(bytes) !== write.afterHash) throw changedSince(write);
}

async function takeBack(deps: RoomHandle, write: PersonsWrite, actor: Actor): Promise<Changed> {
  const { path, base, trashed } = write;
  if (trashed !== null) return bringBack(deps, write, trashed, actor);
  if (base !== null) return putBack(deps, write, base, actor);
  // Before it was made there was nothing.
  const attic = moveToTrash(deps, path);
  deps.writer.persons.undone(write.seq);
  await announceGone(deps, path, actor);
  return { id: write.task as TaskId, name: nameOfPath(path), path, changed: true, attic };
}

/** @param back how many of the person's changes. @throws RoomError `not_found`, `ambiguous`, `io`, `conflict` */
export async function restoreTask(deps: RoomHandle, ref: string, actor: Actor, back = 1): Promise<Changed> {
  if ((await lookAtOne(deps, ref)) === null) await refresh(deps);
  const found = await chooseTask(deps, ref);
  const { id, name, path } = found;
  const writes = deps.writer.persons
    .list()
    .filter((each) => (id === null ? each.path === path : each.task === id));
  if (path === null) {
    const deleted = writes.find(({ trashed }) => trashed !== null);
    const kept = deleted?.trashed ?? readGoneTask(deps, found)?.task.path ?? '';
    if (deleted === undefined && !kept.startsWith('.taskroom/')) throw nothingKept(name);
    return bringBack(deps, deleted ?? { seq: null, task: id, path: `tasks/${name}.md` }, kept, actor);
  }
  const older = writes.filter(({ base }) => base !== null);
  const write = older[back - 1];
  if (write === undefined) throw nothingKept(name, older.length);
  return putBack(deps, { ...write, path }, write.base!, actor, older.slice(0, back));
}

function nothingKept(name: string, count = 0): RoomError {
  const kept = count === 0 ? 'no earlier text' : `only ${count} earlier ${count === 1 ? 'text' : 'texts'}`;
  const hint = 'texts before a change of yours are kept for 30 days; look into .taskroom/attic/ and git, too';
  return new RoomError('not_found', `${kept} of ${name} is kept`, hint);
}

const changedSince = ({ path, task }: PersonsWrite): RoomError =>
  new RoomError('conflict', `${path} was changed since your last change, which is not taken back`, {
    hint: `taskroom restore ${quoteWord(task ?? nameOfPath(path))} brings back what it said before, and keeps in .taskroom/attic/ what it says now`,
  });

function assertFree(file: string, { path }: Pick<PersonsWrite, 'path'>, trashed: string): void {
  if (!existsSync(file)) return;
  const hint = `it lies in ${trashed}: move it into tasks/ under another name`;
  throw new RoomError('conflict', `${path} is there again: another task stands in its place`, hint);
}

/** The file says `text` again; what it says now goes to the trash. */
async function putBack(
  deps: RoomHandle,
  { path, seq, task }: Pick<PersonsWrite, 'path' | 'seq' | 'task'>,
  text: string,
  actor: Actor,
  undone: readonly Pick<PersonsWrite, 'seq'>[] = [{ seq }],
): Promise<Changed> {
  let attic: string | undefined;
  const { changed } = await deps.writer.edit(path, {
    ...{ actor: 'undo', task },
    edit(now) {
      attic =
        now === text
          ? undefined
          : keepInTrash(deps.room, `${nameOfPath(path)}, before undo`, now, deps.effects);
      return text;
    },
    isTyped: true,
  });
  for (const each of undone) deps.writer.persons.undone(each.seq);
  await announce(deps, path, actor);
  const reading = readTask(path, text, deps.config);
  const { id, name, status } = reading.ok
    ? reading.task
    : { id: null, name: nameOfPath(path), status: 'todo' as const };
  return { id: (id ?? task) as TaskId, name, path, changed, status, ...(attic !== undefined && { attic }) };
}

/** A deleted file goes back to its place. @throws RoomError `conflict` where another stands there */
async function bringBack(
  deps: RoomHandle,
  { seq, task, path }: Pick<PersonsWrite, 'path' | 'task'> & { seq: number | null },
  trashed: string,
  actor: Actor,
): Promise<Changed> {
  const to = deps.room.at(path);
  assertFree(to, { path }, trashed);
  try {
    moveFile(deps.room.at(trashed), to);
  } catch (error) {
    if (!isRoomError(error, 'not_found')) throw error;
    throw new RoomError('not_found', `${trashed} is gone`, { cause: error });
  }
  if (seq !== null) deps.writer.persons.undone(seq);
  await announce(deps, path, actor);
  const reading = readTask(path, readFileSync(to, 'utf8'), deps.config);
  const status = reading.ok ? reading.task.status : 'todo';
  return { id: task as TaskId, name: nameOfPath(path), path, changed: true, status };
}
