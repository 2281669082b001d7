// One sync of a source at a time, over all processes: `.taskroom/sync/<chore>.lock`.
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { Room } from '../room.ts';
import { type FileLock, nameOfHolder, readLockHolder, tryFileLock } from './file-lock.ts';

export interface SourceLockOptions {
  effects: Effects;
  signal: AbortSignal;
  /** How long to wait for another sync of the source; 0 does not wait. */
  waitMs: number;
  /** Told once, when it has to wait. */
  onWait?: (who: string) => void;
}

const LOOK_MS = 200;

/**
 * Takes the lock of a chore's source.
 * @throws RoomError `locked` that says who syncs, `interrupted`, `io`
 */
export async function takeSourceLock(
  room: Room,
  chore: string,
  { effects, signal, waitMs, onWait }: SourceLockOptions,
): Promise<FileLock> {
  const path = join(room.ownDir, 'sync', `${chore}.lock`);
  const giveUpAt = effects.monotonicMs() + waitMs;
  for (let told = false; ; told = true) {
    if (signal.aborted) throw new RoomError('interrupted', `the sync of ${chore} was stopped`);
    const lock = tryFileLock(path, 'sync', effects.now());
    if (lock) return lock;
    const who = nameOfHolder(readLockHolder(path));
    if (effects.monotonicMs() >= giveUpAt) {
      throw new RoomError('locked', `${chore} is being synced by ${who}`, {
        hint: 'wait until it is done, or stop that process',
        retryAfterMs: 1_000,
      });
    }
    if (!told) onWait?.(who);
    await sleep(effects, LOOK_MS, signal);
  }
}
