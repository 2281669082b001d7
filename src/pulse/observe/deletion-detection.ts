// Files that are not there any more: gone only when a rename had time to show itself, and only while tasks/ itself is
// there. Many that go at once are no decision about each.
import { isMassEdit } from '../../core/rules/decide.ts';
import { assertFolder, isTaskFile } from '../../store/files/scan.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import { recordGone } from '../../tasks/observe/observer.ts';
import type { Base } from '../base.ts';

// A rename shows as "gone here, new there": the two halves come within milliseconds, over a network within this.
export const RENAME_GRACE_MS = 400;
// Files that go within this time of each other go together.
const TOGETHER_MS = 2_000;
/** Differs from every file: the next look reads it. */
const NEVER: FileStamp = { size: -1, mtimeMs: -1, ctimeMs: -1, ino: -1 };

export function createDeletionDetection({ deps, dirtyPaths, observations, quietMs }: Base) {
  const { stamps, timers, expected } = dirtyPaths;
  let losses: number[] = [];
  let isMass = false;

  const isGone = (path: unknown): boolean => !isTaskFile(deps.room.at(path as string));

  function confirm(path: string): void {
    if (!isGone(path)) return dirtyPaths.push(path);
    try {
      assertFolder(deps.room);
      observations.push(recordGone(deps, path, isMassLoss()), true);
      stamps.delete(path);
    } catch (error) {
      stamps.set(path, NEVER);
      dirtyPaths.retry(path, error);
    }
  }

  /** A branch switch, an unmounted disk. */
  function isMassLoss(): boolean {
    const now = deps.effects.monotonicMs();
    losses = losses.filter((at) => now - at < TOGETHER_MS);
    // The rest of a mass that began goes with it, however few are left of it.
    if (losses.length === 0) isMass = false;
    losses.push(now);
    const { holdAbove } = deps.config();
    if (isMass || holdAbove === 0) return isMass;
    // Most of the time too few wait, whatever became of them: the disk is asked of each only where that decides.
    isMass =
      isMassEdit(losses.length + timers.count(), holdAbove) &&
      isMassEdit(losses.length + timers.keys().filter(isGone).length, holdAbove);
    return isMass;
  }

  return {
    /** There is no task file at the path: when there was one, it is gone unless it shows itself again. */
    suspect(path: string): void {
      if (!stamps.has(path) && deps.ledger.tasks.byPath(path) === null) return;
      expected.delete(path);
      timers.set(path, Math.max(quietMs(), RENAME_GRACE_MS), () => confirm(path));
    },
  };
}
