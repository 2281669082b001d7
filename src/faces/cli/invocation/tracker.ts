// Who asks the tracker: this process, or the daemon that runs here where this shell lacks what the tracker asks for.
import { isRoomError } from '../../../core/errors.ts';
import type { RoomClient } from '../../../runtime.ts';
import type { Call } from '../command.ts';

/**
 * The operations by which these chores are synced. That the daemon is asked is said beside the answer.
 * @param chores all sources where none is named
 */
export async function tasksFor(
  { openDaemon, terminal }: Call,
  runtime: RoomClient,
  chores: readonly string[],
): Promise<RoomClient['tasks']> {
  const lacks = (await runtime.here?.lacks(chores)) ?? null;
  const daemon = lacks === null ? null : await openDaemon().catch(whenRefused);
  if (lacks === null || daemon === null) return runtime.tasks;
  const { what, chore } = lacks;
  terminal.writeError(`this shell lacks ${what} for ${chore}: the daemon that runs here does it\n`);
  return daemon.tasks;
}

/** What fails is told where it is done. */
function whenRefused(error: unknown): null {
  if (isRoomError(error)) return null;
  throw error;
}
