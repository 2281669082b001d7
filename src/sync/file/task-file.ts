// The file of a mirrored task, found by what the ledger knows of it and read at rest; and its name. A file that has the name we
// gave it follows its issue's title; one that a person renamed keeps their name. A task that is reopened upstream comes back
// from the archive. Nothing is ever overwritten.
import { existsSync, lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { threadOfTask } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { moveFile } from '../../store/write/move-file.ts';
import { readStable } from '../../store/write/stable-read.ts';
import { packBase, readLocalSide } from '../plan/base.ts';
import { baseOf, type LocalSide } from '../plan/plan-data.ts';
import type { SyncDeps, SyncPass } from '../sync-pass.ts';
import { fileNameFor } from './local-edit.ts';

export interface TaskFile {
  kind: 'file';
  path: string;
  name: string;
  text: string;
  local: LocalSide;
  archived: boolean; // It lies in the archive, where bytes are not changed.
  savedAt: number;
}

/** `same` is what was dealt with last; `gone` was observed; `absent` may be a rename or a save under way, and is looked at again. */
export type FileState =
  | TaskFile
  | { kind: 'gone' }
  | { kind: 'same' }
  | { kind: 'absent' | 'unreadable'; why: string };

/** @param skipSame spares the reading of a file that is as it was dealt with last. @throws RoomError `io`, `interrupted` */
export async function readTaskFile(
  deps: SyncDeps,
  row: MirrorRow,
  signal: AbortSignal,
  skipSame = false,
): Promise<FileState> {
  const memory = deps.ledger.tasks.get(row.task);
  const known = memory === null ? row.path : (memory.path ?? memory.archived);
  if (known === null) return { kind: 'gone' };
  // Renamed by ourselves, and not yet observed there.
  const archived = memory !== null && memory.path === null;
  const moved = !archived && row.path !== null && row.path !== known && !existsSync(deps.room.at(known));
  const path = moved ? row.path! : known;
  const isOurs = (hash: string): boolean => deps.writer.isOurs(path, hash);
  const read = await readStable(deps.room.at(path), { effects: deps.effects, isOurs, shownAs: path, signal });
  // Nobody watches the archive: a file that is not there was taken out.
  if (read === null && archived) return { kind: 'gone' };
  if (read === null) return { kind: 'absent', why: `${path} is not there at the moment` };
  if (!read.ok) return { kind: 'unreadable', why: read.problems[0]?.message ?? `${path} can't be read` };
  if (read.unstable) return { kind: 'absent', why: `${path} keeps changing` };
  if (skipSame && read.hash === row.localHash) return { kind: 'same' };
  const local = readLocalSide(path, read.text, deps.config);
  if (local === null)
    return { kind: 'unreadable', why: `${path} can't be read as a task: mend it in an editor` };
  if (local.id !== row.task) return { kind: 'absent', why: `${path} is another task now` };
  const savedAt = read.stat.mtimeMs;
  return { kind: 'file', path, name: nameOfPath(path), text: read.text, local, archived, savedAt };
}

/** Names the file by its title, when it has the name we gave it. @returns its new path, null: it stays @throws RoomError `io` */
export function followTitle(pass: SyncPass, row: MirrorRow, file: TaskFile, title: string): string | null {
  const { deps } = pass;
  const { ledger, room } = deps;
  const current = ledger.mirrors.get(row.task);
  const base = current && baseOf(current);
  if (!base || base.name !== file.name) return null;
  const wanted = fileNameFor(title, pass.factory.shortRef(row.ref));
  const name = freeName(deps, wanted, file.path);
  if (name === file.name) return null;
  // Its agent knows the file by this name: it follows when the turn is over.
  if (ledger.turns.runningOn(threadOfTask(row.task)) !== null) return null;
  // Renamed or deleted at this moment: the next observation tells.
  if (!lstatSync(room.at(file.path), { throwIfNoEntry: false })) return null;
  return move(pass, file.path, name, (path) =>
    ledger.mirrors.update(row.task, { path, base: packBase({ ...base, name: nameOfPath(path) }) }),
  );
}

/** Moves a file to a name in tasks/, and records that in the same commit. @returns its new path */
function move(pass: SyncPass, from: string, name: string, record: (path: string) => void): string {
  const { ledger, room } = pass.deps;
  const path = ledger.transaction(() => {
    const now = `tasks/${basename(rename(room.at(from), room.at(`tasks/${name}.md`)))}`;
    record(now);
    return now;
  });
  pass.written.add(path);
  pass.mirrorsChanged = true;
  return path;
}

function rename(from: string, to: string): string {
  // Another case of the same name, where the file system does not tell the two apart.
  const own = lstatSync(from, { throwIfNoEntry: false })?.ino;
  if (own === undefined || lstatSync(to, { throwIfNoEntry: false })?.ino !== own) return moveFile(from, to);
  renameSync(from, to);
  return to;
}

/** A name in tasks/ that no other file has: the one wanted, else with a number.
 * @param own path of the file itself, which is in nobody's way
 * @param taken names given to files that are not there yet, lower case */
export function freeName({ room }: SyncDeps, wanted: string, own: string | null, taken = new Set<string>()) {
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
  const { ledger } = pass.deps;
  move(pass, file.path, freeName(pass.deps, file.name, null), (path) => {
    ledger.tasks.update(row.task, { path, archived: null });
    ledger.mirrors.update(row.task, { path, localHash: null });
  });
}
