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
    throw asRefusal(path, error);
  }
}

/** The same for what the disk is not waited for. */
export async function onDiskSoon<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw asRefusal(path, error);
  }
}

function asRefusal(path: string, error: unknown): unknown {
  if (error instanceof RoomError || typeof (error as NodeJS.ErrnoException).code !== 'string') return error;
  return new RoomError('io', `can't write ${path}: ${(error as Error).message}`, {
    cause: error,
    hint: 'check free space and permissions',
  });
}
