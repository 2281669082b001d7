// The processes of a turn whose runtime died: found again by the turn's folder, and ended.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { turnMarks } from './launch.ts';
import { bootId, isAlive, readIdentity } from './process-identity.ts';
import { endProcesses, GRACE_MS, hasMarks } from './terminate.ts';

/**
 * Ends everything a turn started: TERM, 5 s or the time given, KILL (B4).
 * @param room absolute path of the room: a copy's processes are not this room's
 * @param dir absolute path of the turn's folder
 * @returns pids that could not be ended
 */
export async function endOrphan(
  room: string,
  dir: string,
  turn: string,
  effects: Effects,
  graceMs = GRACE_MS,
): Promise<number[]> {
  const marks = [...turnMarks(turn), `AGENT_ROOM=${room}`];
  const recorded = await readIdentity(dir);
  // Where environments can be read, they tell a copied room's record from its own process.
  const leader = recorded !== null && (bootId() === null || hasMarks(recorded.pid, marks)) ? recorded : null;
  const watched = leader !== null && (await isAlive(leader));
  return endProcesses({ leader, watched, marks, graceMs }, effects);
}

/** Folder in a turn's own, for the programs that its runner starts one after the other, each in a folder of its own. */
export const PROGRAMS_DIR = 'programs';

/** As `endOrphan`, with all that the turn's runner itself had started. */
export async function endTurn(
  room: string,
  dir: string,
  turn: string,
  effects: Effects,
  graceMs = GRACE_MS,
): Promise<number[]> {
  const left = await endOrphan(room, dir, turn, effects, graceMs);
  // Where environments can be read the turn's marks have found them all.
  if (bootId() !== null) return left;
  const folders = await readdir(join(dir, PROGRAMS_DIR)).catch(() => []);
  const ends = folders.map((name) => endOrphan(room, join(dir, PROGRAMS_DIR, name), turn, effects, graceMs));
  return [...left, ...(await Promise.all(ends)).flat()];
}
