// Edits are passed on once they were quiet for a while, and those made together are passed on together, so that a bulk edit is
// seen as one: what is quiet waits a little while more is to come. Before that, the disk is asked where there may be more than
// was heard of: git changed files, or this machine is behind.
import type { TaskId } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import { createGitMarks } from '../../store/write/git-save.ts';
import type { Loop } from '../state/loop.ts';

// However long edits go on elsewhere, what was quiet is not held back for longer.
const LONGEST_WAIT_MS = 2_000;
// A slow disk or machine may be long in giving up a branch's files; then it is looked at again and again.
const LONGEST_FLOOD_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 250;
// A timer that goes off so late tells that events may be on their way, too.
const BEHIND_MS = 50;

export function createEditDebounce(loop: Loop, passOn: (ids: TaskId[]) => void) {
  const { dirtyPaths } = loop;
  const { effects, room, config } = loop.deps;
  const git = createGitMarks(room.dir);
  const timer = loop.newTimers();
  /** When each edited task has been quiet for long enough, monotonic ms; the soonest comes first. */
  const quietAt = new Map<TaskId, number>();
  let [flooded, isBehind, isHearing] = [false, false, false];

  const look = loop.keep(() => {
    const nowMs = effects.monotonicMs();
    const [soonestMs] = quietAt.values();
    if (isHearing || soonestMs === undefined) return;
    const quietForMs = nowMs - soonestMs;
    if (quietForMs < 0) return lookIn(-quietForMs, soonestMs);
    const isGitAtWork = git.isAtWork(effects.now());
    if (!isGitAtWork && (git.hasMoved() || isBehind)) return void loop.during(hear);
    const quiet = [...quietAt].filter(([, atMs]) => atMs <= nowMs).map(([id]) => id);
    const isMoreToCome = quiet.length < quietAt.size || dirtyPaths.expected.size > 0;
    const { size: unread } = dirtyPaths.unread;
    flooded ||= isGitAtWork || isMassEdit(unread + 1, config().holdAbove);
    const isFlooding = flooded && (isGitAtWork || unread > 0 || isMoreToCome);
    if (isFlooding && quietForMs < LONGEST_FLOOD_MS) return lookIn(LOOK_AGAIN_MS);
    const lastMs = [...quietAt.values()].at(-1)! - nowMs;
    const waitMs = Math.min(lastMs > 0 ? lastMs : LONGEST_WAIT_MS, LONGEST_WAIT_MS - quietForMs);
    if (isMoreToCome && waitMs > 0) return lookIn(waitMs);
    flooded = false;
    passOn(quiet);
    for (const id of quiet) quietAt.delete(id);
    look();
  });

  /** @param dueMs when the edits that it waits for are quiet */
  function lookIn(delayMs: number, dueMs = Number.POSITIVE_INFINITY): void {
    timer.set('edits', delayMs, () => {
      isBehind ||= effects.monotonicMs() - dueMs > BEHIND_MS;
      look();
    });
  }

  /** Whatever changed on disk is being read when this resolves. */
  async function hear(): Promise<void> {
    isHearing = true;
    isBehind = false;
    await dirtyPaths.pushChanged().catch(loop.onTrouble);
    isHearing = false;
    look();
  }

  return {
    /** The task was edited: it is passed on once it was quiet, counted from now. */
    edited(id: TaskId): void {
      quietAt.delete(id);
      quietAt.set(id, effects.monotonicMs() + loop.quietMs());
      if (!timer.waiting.has('edits')) look();
    },
    has: (id: TaskId): boolean => quietAt.has(id),
  };
}
