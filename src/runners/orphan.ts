// The processes of a turn whose runtime died: found again by the turn's folder, and ended.
import type { Effects } from '../effects.ts';
import { isAlive, readIdentity } from './identity.ts';
import { turnMarks } from './launch.ts';
import { endProcesses } from './terminate.ts';

/**
 * Ends everything a turn started: TERM, 5 s, KILL (B4).
 * @param dir absolute path of the turn's folder
 * @returns pids that could not be ended
 */
export async function endOrphan(dir: string, turn: string, effects: Effects): Promise<number[]> {
  const leader = await readIdentity(dir);
  const watched = leader !== null && (await isAlive(leader));
  return endProcesses({ leader, watched, marks: turnMarks(turn) }, effects);
}
