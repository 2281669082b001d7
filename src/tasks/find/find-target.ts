// The task that a change is meant for. A word that is a task's id or file name leads straight to its file, and that file
// alone is looked at; any other word takes a look at all. With a daemon nothing is looked at here: it observes.
import { refresh, refreshPath } from '../observe/refresh.ts';
import { idOfRef, throughIssue } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import { locateTask, pathOfName, pathOfWordAsName, type Target } from './locate.ts';

/** Takes in what happened to the task that `ref` means, and finds it. Throws as `locateTask`. */
export async function findTarget(handle: RoomHandle, ref: string): Promise<Target> {
  const path = await lookAtOne(handle, ref);
  if (path === null) await refresh(handle);
  return locateTask(handle, ref);
}

/**
 * Takes in what happened to the one file that a word means.
 * @returns its path; null where only a look at all can tell, and where nobody ever took one
 */
export async function lookAtOne(handle: RoomHandle, ref: string): Promise<string | null> {
  const path = pathOfWord(handle, ref);
  if (path === null || !handle.deps.ledger.meta.wasLookedAt()) return null;
  await refreshPath(handle, path);
  return pathOfWord(handle, ref) === path ? path : null;
}

/** The file that a full id or a file name means, by what the ledger knows; null for other words. */
export function pathOfWord({ deps }: RoomHandle, ref: string): string | null {
  const word = throughIssue(deps.ledger, ref);
  const memory = deps.ledger.tasks.get(idOfRef(word));
  if (memory === null) return pathOfWordAsName(deps, word);
  const { path } = memory;
  return path !== null && path === pathOfName(deps, memory.name) ? path : null;
}
