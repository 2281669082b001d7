// Edits made together are passed on together, so that a bulk edit is seen as one: what was quiet waits a little while more is
// to come. Before it is passed on, the disk is asked where there may be more than was heard of: git changed files, or this
// machine is behind.
import type { TaskId } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import { createGitMarks } from '../../store/write/git-save.ts';
import type { Base } from '../base.ts';

interface EditBatchOptions {
  /** Edits that may belong to the same batch are still debounced. */
  isMoreToCome(): boolean;
  passOn(ids: TaskId[]): void;
}

// However long edits go on elsewhere, what was quiet is not held back for longer.
const LONGEST_WAIT_MS = 2_000;
// A slow disk or machine may be long in giving up a branch's files; then it is looked at again and again.
const LONGEST_FLOOD_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 250;
// A timer that goes off so late tells that events may be on their way, too.
const BEHIND_MS = 50;

export function createEditBatch(base: Base, { isMoreToCome, passOn }: EditBatchOptions) {
  const { deps, dirtyPaths, during } = base;
  const { effects } = deps;
  const git = createGitMarks(deps.room.dir);
  const timer = base.newTimers();
  let ids: TaskId[] = [];
  let since = 0;
  let flooded = false;
  let behind = false;
  let hearing = false;

  function passOnSoon(): void {
    timer.cancel('batch');
    if (hearing || ids.length === 0) return;
    const waitedMs = effects.monotonicMs() - since;
    const isGitAtWork = git.isAtWork(effects.now());
    if (!isGitAtWork && (git.hasMoved() || behind)) return void during(hear);
    const unread = dirtyPaths.countUnread();
    flooded ||= isGitAtWork || isMassEdit(unread + 1, deps.config().holdAbove);
    const isFlooding = flooded && (isGitAtWork || unread > 0 || isMoreToCome());
    if (isFlooding && waitedMs < LONGEST_FLOOD_MS) return timer.set('batch', LOOK_AGAIN_MS, passOnSoon);
    const waitMs = isMoreToCome() ? Math.max(0, LONGEST_WAIT_MS - waitedMs) : 0;
    if (waitMs === 0) passOnNow();
    else timer.set('batch', waitMs, passOnSoon);
  }

  /** Whatever changed on disk is being read when this resolves. */
  async function hear(): Promise<void> {
    hearing = true;
    behind = false;
    await dirtyPaths.pushChanged().catch(base.onTrouble);
    hearing = false;
    passOnSoon();
  }

  const passOnNow = base.keep(() => {
    timer.cancel('batch');
    flooded = false;
    const batch = [...ids];
    if (batch.length > 0) passOn(batch);
    ids = ids.slice(batch.length);
  });

  return {
    /** Adds a task whose edits were quiet, so many ms later than they should have been. */
    add(id: TaskId, lateMs = 0): void {
      if (ids.length === 0) since = effects.monotonicMs();
      ids.push(id);
      behind ||= lateMs > BEHIND_MS;
      passOnSoon();
    },
    has: (id: TaskId): boolean => ids.includes(id),
  };
}
