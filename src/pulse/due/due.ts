// From dirty tasks to requests on record. A task is decided over for its edits once they were quiet for a while, together with those made
// with it, so that a bulk edit is seen as one; any other reason to decide over it leaves edits that are debounced alone. A task whose
// request came to nothing is left alone too, longer each time: the same facts would only ask for the same again, without end.
import type { TaskId } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import { createGitMarks } from '../../store/write/git-save.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { DirtyTasks, Loop } from '../state/loop.ts';
import { LONGEST_WAIT_MS } from '../state/work.ts';
import { createDecider } from './decide-tasks.ts';

const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 60_000;
const FORGET_MS = 10 * 60_000; // So much later the facts are others.
const TRIES_ONCE = 3; // A loop that ends when all has run gives up on a task after so many.

export function createDue(
  loop: Loop,
  scheduler: Pick<Scheduler, 'startTurns'>,
  decider = createDecider(loop, scheduler),
) {
  const { dirtyTasks } = loop;
  const rests = loop.newTimers();
  /** Tasks whose request came to nothing: how often in a row, and when last. */
  const noOps = new Map<TaskId, { times: number; atMs: number }>();
  const isGivenUp = (id: TaskId) => loop.mode.once && (noOps.get(id)?.times ?? 0) > TRIES_ONCE;
  const edits = createEditDebounce(loop, (ids) => decider.decideTogether(ids, { holdsMany: true }));

  function take(keys: DirtyTasks): void {
    const now: TaskId[] = [];
    for (const [id, why] of keys) {
      if (why.has('no_turn')) rest(id);
      if (why.has('edited') || why.has('asked')) rests.cancel(id);
      if (why.has('edited')) {
        noOps.delete(id);
        edits.edited(id);
      } else if (!rests.waiting.has(id) && !edits.quietAt.has(id) && !isGivenUp(id)) now.push(id);
    }
    if (now.length > 0) decideNow(now);
    loop.checkIdle();
  }

  function decideNow(ids: readonly TaskId[]): void {
    try {
      decider.decideTogether(ids, { holdsMany: false });
    } catch (error) {
      loop.onTrouble(error);
      ids.forEach(rest);
    }
  }

  /** One more request of this task came to nothing: it is left alone for a while, or for good. */
  function rest(id: TaskId): void {
    const atMs = loop.deps.effects.monotonicMs();
    const before = noOps.get(id);
    const times = (before !== undefined && atMs - before.atMs < FORGET_MS ? before.times : 0) + 1;
    noOps.set(id, { times, atMs });
    if (rests.waiting.has(id) || isGivenUp(id)) return;
    const restMs = Math.min(FIRST_REST_MS * 2 ** (times - 1), LONGEST_REST_MS);
    rests.set(id, restMs, () => decideNow([id]));
  }

  dirtyTasks.takenBy(take);
  return {
    decideAll: decider.decideAll,
    /** Decides over what was edited until the first scan was over. */
    decideGathered: (how: { holdsMany: boolean }) =>
      decider.decideTogether([...dirtyTasks.takeAll().keys()], how),
    waitForRetry: createRetries(loop), // Waits for the next retry; to be called when that may have moved.
  };
}

// One that can't start now (its agent is missing, say) stays due: it is looked at again, but not at once.
const AGAIN_MS = 5_000;

function createRetries({ deps, dirtyTasks, keep, timers }: Loop): () => void {
  const { tasks } = deps.ledger;
  const { effects } = deps;
  function wait(leastMs: number): void {
    const at = tasks.nextRetryAt();
    if (at === null) return;
    timers.set('retries', Math.min(Math.max(at - effects.now(), leastMs), LONGEST_WAIT_MS), decideDue);
  }
  const decideDue = keep(() => {
    for (const id of tasks.retriesDue(effects.now())) dirtyTasks.push(id);
    wait(AGAIN_MS);
  });
  return keep(() => wait(0));
}

// However long edits go on elsewhere, what was quiet is not held back for longer.
const LONGEST_HOLD_MS = 2_000;
// A slow disk or machine may be long in giving up a branch's files; then it is looked at again and again.
const LONGEST_FLOOD_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 250;
const BEHIND_MS = 50; // A timer that goes off so late tells that events may be on their way, too.

function createEditDebounce(loop: Loop, passOn: (ids: TaskId[]) => void) {
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
    const waitMs = Math.min(lastMs > 0 ? lastMs : LONGEST_HOLD_MS, LONGEST_HOLD_MS - quietForMs);
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
    quietAt: quietAt as ReadonlyMap<TaskId, number>,
    /** The task was edited: it is passed on once it was quiet, counted from now. */
    edited(id: TaskId): void {
      quietAt.delete(id);
      quietAt.set(id, effects.monotonicMs() + loop.quietMs());
      if (!timer.waiting.has('edits')) look();
    },
  };
}
