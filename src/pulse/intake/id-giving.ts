// Ids for files that lack one of their own: a new file, and a copy that carries another task's. A file gets its id after
// its quiet time, when nothing happened to it meanwhile.
import { isRoomError } from '../../core/errors.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import { giveId, splitCopy } from '../../tasks/observe/give-id.ts';
import { hideDeleted } from '../../tasks/observe/hide-deleted.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Settling } from '../decide/settling.ts';
import type { KeyedTimers } from '../keyed-timers.ts';
import { RENAME_GRACE_MS } from './disappearance.ts';
import type { PathQueue } from './path-queue.ts';

export interface IdGivingOptions {
  deps: TaskRoom;
  stamps: Map<string, FileStamp>;
  timers: KeyedTimers;
  paths: Pick<PathQueue, 'hint' | 'look' | 'tryAgain'>;
  settling: Pick<Settling, 'quietMs' | 'expectTask' | 'taskCame'>;
}

export function createIdGiving({ deps, stamps, timers, paths, settling }: IdGivingOptions) {
  function writeWhenQuiet(path: string, write: () => Promise<unknown>, atLeastMs: number): void {
    settling.expectTask(path);
    timers.set(path, Math.max(settling.quietMs(), atLeastMs), () => void writeNow(path, write));
  }

  async function writeNow(path: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
      stamps.delete(path);
      await paths.look(path);
    } catch (error) {
      if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) paths.hint(path);
      else paths.tryAgain(path, error);
    } finally {
      settling.taskCame(path);
    }
  }

  return {
    /** The file has no id. */
    giveTo: (path: string): void => writeWhenQuiet(path, () => giveId(deps, path), 0),
    /** The file says that its task is deleted. */
    hide: (path: string): void => writeWhenQuiet(path, () => hideDeleted(deps, path), 0),
    /** The file carries the id of a task that stands elsewhere, unless that one is being renamed to it. */
    splitFrom: (path: string): void => writeWhenQuiet(path, () => splitCopy(deps, path), RENAME_GRACE_MS),
  };
}
