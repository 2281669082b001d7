// The file of a mirrored task, found by what the ledger knows of it and read at rest.
import { existsSync } from 'node:fs';
import { nameOfPath } from '../../core/task/task-name.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { readStable } from '../../store/write/stable-read.ts';
import type { SyncDeps } from '../contract.ts';
import { readLocalSide } from '../plan/local-side.ts';
import type { LocalSide } from '../plan/plan-data.ts';

export interface TaskFile {
  kind: 'file';
  path: string;
  name: string;
  text: string;
  local: LocalSide;
  /** It lies in the archive, where bytes are not changed. */
  archived: boolean;
  savedAt: number;
}

/** `same` is what was dealt with last; `gone` was observed; `absent` may be a rename or a save under way, and is looked at again. */
export type FileState =
  | TaskFile
  | { kind: 'gone' }
  | { kind: 'same' }
  | { kind: 'absent' | 'unreadable'; why: string };

/**
 * @param skipSame asks only whether the file is as it was dealt with last, and spares the reading of it then
 * @throws RoomError `io`, `interrupted`
 */
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
  const local = readLocalSide(path, read.text);
  if (local === null)
    return { kind: 'unreadable', why: `${path} can't be read as a task: mend it in an editor` };
  if (local.id !== row.task) return { kind: 'absent', why: `${path} is another task now` };
  const savedAt = read.stat.mtimeMs;
  return { kind: 'file', path, name: nameOfPath(path), text: read.text, local, archived, savedAt };
}
