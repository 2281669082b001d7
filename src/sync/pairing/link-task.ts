// Links a task with an issue that is there already, and ends mirrors. Neither changes what the other side says.
import { removeKey } from '../../core/document/document.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import type { SyncDeps } from '../contract.ts';
import { syncMirror } from '../mirror/sync-mirror.ts';
import { newRow } from '../plan/mirror-row.ts';
import { fetchOne, type SyncPass } from '../sync-pass.ts';
import { addBodyMarkers } from './publish-task.ts';

/** The file of a task that has no mirror yet. @throws RoomError `not_found`, `conflict` */
export function fileOfUnmirrored({ ledger }: SyncDeps, task: TaskId): string {
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null)
    throw new RoomError('not_found', `no task ${task} with a file`, { hint: 'see: taskroom list' });
  const row = ledger.mirrors.byTask(task);
  if (row === null) return path;
  throw new RoomError('conflict', `${path} mirrors ${row.provider}:${row.ref} already`, {
    hint: `end that first: taskroom unlink ${task}`,
  });
}

/**
 * Makes the task the mirror of the issue and syncs the two: where they differ that is a conflict, and both are kept.
 * @throws RoomError `not_found`, `conflict`, and as providers throw
 */
export async function linkTask(pass: SyncPass, task: TaskId, ref: string): Promise<void> {
  const { deps, config, chore } = pass;
  const path = fileOfUnmirrored(deps, task);
  const remote = await fetchOne(pass, ref);
  if (remote === null)
    throw new RoomError('not_found', `${ref} is not visible in ${config.source}`, {
      hint: 'check the address and what the credentials may see',
    });
  await addBodyMarkers(pass, task, path);
  const { uid, url } = remote;
  const row = newRow(
    { task, provider: config.provider, uid, ref: remote.ref, url, chore, path },
    deps.effects.now(),
  );
  const linked = deps.ledger.transaction(() => {
    const there = deps.ledger.mirrors.byUid(config.provider, uid);
    if (there?.state === 'detached') deps.ledger.mirrors.delete(there.task);
    return deps.ledger.mirrors.insert(row);
  });
  if (!linked) throw mirroredElsewhere(deps, config.provider, uid);
  pass.mirrorsChanged = true;
  await syncMirror(pass, task, remote);
}

function mirroredElsewhere({ ledger }: SyncDeps, provider: string, uid: string): RoomError {
  const row = ledger.mirrors.byUid(provider, uid);
  const name = row && ledger.tasks.get(row.task)?.name;
  return new RoomError(
    'conflict',
    `that issue is mirrored already${name ? `, as ${JSON.stringify(name)}` : ''}`,
    {
      hint: row ? `end that first: taskroom unlink ${row.task}` : 'try again',
    },
  );
}

/** Ends a mirror: the file loses `remote:`, nothing else changes on either side. */
export async function unlinkTask(deps: SyncDeps, row: MirrorRow): Promise<string | null> {
  const { ledger, writer } = deps;
  const path = ledger.tasks.get(row.task)?.path ?? null;
  let written: string | null = null;
  if (path !== null) {
    try {
      const edit = (text: string): string => removeKey(text, 'remote', path);
      const { changed } = await writer.edit(path, { actor: 'runtime', task: row.task, edit });
      if (changed) written = path;
    } catch (error) {
      // Without its file there is nothing to take the key from.
      if (!isRoomError(error, 'not_found')) throw error;
    }
  }
  // Forgotten, the issue would come in again as a new task.
  ledger.transaction(() => ledger.mirrors.retire(row.task));
  return written;
}
