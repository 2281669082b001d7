// The names of mirrored files: a file that has the name we gave it follows its issue's title; one that a person renamed
// keeps their name. A task that is reopened upstream comes back from the archive. Nothing is ever overwritten.
import { lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { threadOfTask } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { moveFile } from '../../store/write/move-file.ts';
import type { SyncDeps } from '../contract.ts';
import { baseOf, packBase } from '../plan/mirror-row.ts';
import type { SyncPass } from '../sync-pass.ts';
import { fileNameFor } from './new-task.ts';
import type { TaskFile } from './task-file.ts';

/**
 * Gives the file the name of its title, when it has the name we gave it before.
 * @returns its new path, null when it stays
 * @throws RoomError `io`
 */
export function followTitle(pass: SyncPass, row: MirrorRow, file: TaskFile, title: string): string | null {
  const { deps } = pass;
  const { ledger, room } = deps;
  const current = ledger.mirrors.byTask(row.task);
  const base = current && baseOf(current);
  if (!base || base.name !== file.name) return null;
  const wanted = fileNameFor(title, pass.factory.shortRef(row.ref));
  const name = freeName(deps, wanted, file.path);
  if (name === file.name) return null;
  // Its agent knows the file by this name: it follows when the turn is over.
  if (ledger.turns.runningOn(threadOfTask(row.task)) !== null) return null;
  // Renamed or deleted at this moment: the next observation tells.
  if (!lstatSync(room.at(file.path), { throwIfNoEntry: false })) return null;
  const path = ledger.transaction(() => {
    const to = rename(room.at(file.path), room.at(`tasks/${name}.md`));
    const now = `tasks/${basename(to)}`;
    ledger.mirrors.update(row.task, { path: now, base: packBase({ ...base, name: nameOfPath(now) }) });
    return now;
  });
  pass.written.add(path);
  pass.mirrorsChanged = true;
  return path;
}

function rename(from: string, to: string): string {
  // Another case of the same name, where the file system does not tell the two apart.
  if (lstatSync(to, { throwIfNoEntry: false })?.ino === lstatSync(from, { throwIfNoEntry: false })?.ino) {
    renameSync(from, to);
    return to;
  }
  return moveFile(from, to);
}

/**
 * A name in tasks/ that no other file has: the one wanted, else with a number.
 * @param own path of the file itself, which is in nobody's way
 * @param taken names given to files that are not there yet, lower case
 */
export function freeName(
  { room }: Pick<SyncDeps, 'room'>,
  wanted: string,
  own: string | null = null,
  taken: ReadonlySet<string> = new Set(),
): string {
  const ino = own === null ? undefined : lstatSync(room.at(own), { throwIfNoEntry: false })?.ino;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted} ${count}`;
    if (taken.has(name.toLowerCase())) continue;
    const there = lstatSync(room.at(`tasks/${name}.md`), { throwIfNoEntry: false });
    if (!there || there.ino === ino) return name;
  }
}

/** Moves a task's file from the archive back to tasks/. @throws RoomError `not_found`, `io` */
export function moveBack(pass: SyncPass, row: MirrorRow, file: TaskFile): void {
  const { ledger, room } = pass.deps;
  const name = freeName(pass.deps, file.name);
  const path = ledger.transaction(() => {
    const to = moveFile(room.at(file.path), room.at(`tasks/${name}.md`));
    const now = `tasks/${basename(to)}`;
    ledger.tasks.update(row.task, { path: now, archived: null });
    ledger.mirrors.update(row.task, { path: now, localHash: null });
    return now;
  });
  pass.written.add(path);
  pass.mirrorsChanged = true;
}
