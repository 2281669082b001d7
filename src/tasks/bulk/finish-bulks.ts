// What a process that died left of a change of several tasks: done to its end, or taken back.
import { join } from 'node:path';
import { isPassing, RoomError } from '../../core/errors.ts';
import { tryFileLock } from '../../store/lock/file-lock.ts';
import type { Room } from '../../store/room.ts';
import type { TaskRoom } from '../task-room.ts';
import { carryOutBulk, takeBackBulk } from './carry-out-bulk.ts';

export function lockPath({ ownDir }: Room): string {
  return join(ownDir, 'bulk.lock');
}

/** Costs a look at the ledger where nothing was left. @throws RoomError `io`, `locked` when it can't be dealt with now */
export async function finishBulks(deps: TaskRoom): Promise<void> {
  if (!deps.ledger.bulks.hasOpen()) return;
  const lock = tryFileLock(lockPath(deps.room), 'bulk', deps.effects.now());
  // Whoever holds it is about to.
  if (lock === null) return;
  try {
    await finishUnderLock(deps);
  } finally {
    lock.release();
  }
}

/** The same for who has the lock already. */
export async function finishUnderLock(deps: TaskRoom): Promise<void> {
  for (const bulk of deps.ledger.bulks.open()) {
    try {
      await (bulk.state === 'undo' ? takeBackBulk(deps, bulk) : carryOutBulk(deps, bulk));
    } catch (error) {
      if (!(error instanceof RoomError) || isPassing(error)) throw error;
      // A file that nobody can read keeps it on record: the inbox tells of that file.
      if (bulk.state === 'rest') continue;
      const message = `a change of ${bulk.items.length} tasks that was cut short was taken back: ${error.message}`;
      deps.events.emit({ type: 'room.trouble', message, hint: 'make it again' });
    }
  }
}
