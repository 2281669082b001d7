// What the disk refuses, as an error that a person can do something about.
import { RoomError } from '../core/errors.ts';

/**
 * Runs what writes at `path`.
 * @throws RoomError `io` for what the system refuses; anything else as it is
 */
export function onDisk<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof RoomError || typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    throw new RoomError('io', `can't write ${path}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check free space and permissions',
    });
  }
}
