// The key by which tasks name the document they come from, as documents are renamed and deleted.
import { removeKey, setKey } from '../../core/document/document.ts';
import { isRoomError } from '../../core/errors.ts';
import { readTask } from '../../core/task/read-task.ts';
import { artifactNameOf } from '../../core/task/task-name.ts';
import { announce } from '../observe/refresh.ts';
import type { RoomHandle } from '../room-handle.ts';

const RUNTIME = { kind: 'runtime' } as const;

/**
 * Makes every task that names the document `from` name `to`, or none where that is null.
 * @returns how many tasks were changed
 * @throws RoomError `io`, `locked`; what was changed before stays
 */
export async function renameArtifact(handle: RoomHandle, from: string, to: string | null): Promise<number> {
  const { deps } = handle;
  let count = 0;
  for (const { path, reading } of deps.ledger.files.naming('artifact')) {
    if (!reading.ok || !names(reading.task.artifact, from)) continue;
    try {
      const edit = (text: string): string => {
        const now = readTask(path, text);
        if (!now.ok || !names(now.task.artifact, from)) return text;
        return to === null ? removeKey(text, 'artifact', path) : setKey(text, 'artifact', to, path);
      };
      const { changed } = await deps.writer.edit(path, { actor: 'runtime', task: reading.task.id, edit });
      if (!changed) continue;
      count += 1;
      await announce(handle, path, RUNTIME);
    } catch (error) {
      // Gone or broken meanwhile: it names nothing that could be mended.
      if (!isRoomError(error, 'not_found') && !isRoomError(error, 'invalid_file')) throw error;
    }
  }
  return count;
}

function names(written: string | null, name: string): boolean {
  return written !== null && artifactNameOf(written) === name;
}
