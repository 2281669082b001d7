// Who asks the tracker: this process, or the daemon that runs here where this shell lacks what the tracker asks for.
import { isRoomError } from '../../../core/errors.ts';
import type { Mirrors, Runtime } from '../../../runtime.ts';
import type { Call } from '../command.ts';

/**
 * The mirrors by which these chores are synced. That the daemon is asked is said beside the answer.
 * @param chores all sources where none is named
 */
export async function mirrorsFor(
  { openDaemon, terminal }: Call,
  runtime: Runtime,
  chores: readonly string[] = [],
): Promise<Mirrors> {
  const here = await runtime.mirrors();
  if (runtime.holder() === null) return here;
  for (const chore of chores.length > 0 ? chores : here.sources()) {
    const lacks = await ofRoom(() => here.lacks(chore));
    const daemon = lacks === null ? null : await ofRoom(openDaemon);
    if (daemon === null) continue;
    terminal.writeError(`this shell lacks ${lacks} for ${chore}: the daemon that runs here does it\n`);
    return daemon.mirrors();
  }
  return here;
}

/** What fails is told where it is done: null. */
async function ofRoom<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (isRoomError(error)) return null;
    throw error;
  }
}
