// From dirty tasks to requests on record. A task is decided over for its edits once they were quiet for a while; any other
// reason to decide over it leaves edits that are debounced alone. A task whose request came to nothing is left alone too,
// longer each time: the same facts would only ask for the same again, without end.
import type { TaskId } from '../../core/ids.ts';
import type { Base } from '../base.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { LONGEST_WAIT_MS } from '../timers.ts';
import { createDecider } from './decide-tasks.ts';
import { createEditBatch } from './edit-batch.ts';

export type Due = ReturnType<typeof createDue>;

// One that can't start now (its agent is missing, say) stays due: it is looked at again, but not at once.
const AGAIN_MS = 5_000;

export function createDue(
  base: Base,
  scheduler: Pick<Scheduler, 'requested'>,
  decider = createDecider(base, scheduler),
) {
  const { dirtyTasks, dirtyPaths, firstScan, quietMs } = base;
  const { monotonicMs } = base.deps.effects;
  const timers = base.newTimers();
  const noOps = createNoOpBackoff(monotonicMs, base.mode.once);
  const gathered: TaskId[] = [];
  const batch = createEditBatch(base, {
    isMoreToCome: () => timers.count() + dirtyPaths.expected.size > 0,
    passOn(ids) {
      if (firstScan.isOver) decider.decideTogether(ids, { holdsMany: true });
      else for (const id of ids) gathered.push(id);
    },
  });

  function decideNow(id: TaskId): void {
    try {
      decider.decide(id);
    } catch (error) {
      base.onTrouble(error);
      rest(id);
    }
  }

  function rest(id: TaskId): void {
    const restMs = noOps.note(id);
    if (!timers.has(id) && restMs !== null) timers.set(id, restMs, () => decideNow(id));
  }

  dirtyTasks.takenBy((ids) => {
    for (const id of ids) if (!timers.has(id) && !batch.has(id) && !noOps.isGivenUp(id)) decideNow(id);
    base.checkIdle();
  });
  return {
    ...{ inputChanged: decider.inputChanged, decideAll: decider.decideAll },
    /** The task's input changed: decides over it once it was quiet. */
    edited(id: TaskId): void {
      timers.cancel(id);
      noOps.forget(id);
      if (quietMs() === 0) return batch.add(id);
      const at = monotonicMs() + quietMs();
      timers.set(id, quietMs(), () => batch.add(id, monotonicMs() - at));
    },
    /** Somebody asked for the task: it is decided over now, whatever came to nothing before. */
    asked(id: TaskId): void {
      // An edit forgets what came to nothing: with that known, the timer is that of a rest.
      if (noOps.has(id)) timers.cancel(id);
      dirtyTasks.push(id);
    },
    /** The task's request came to nothing: there was no turn to start. */
    cameToNothing: rest,
    /** Decides over what was edited until the first scan was over. */
    decideGathered: (how: { holdsMany: boolean }) => decider.decideTogether(gathered.splice(0), how),
    /** Waits for the next retry; to be called when that may have moved. */
    waitForRetry: createRetries(base),
  };
}

/** Tasks whose turn failed are decided over again when their time has come. */
function createRetries({ deps, dirtyTasks, keep, timers }: Base): () => void {
  const { tasks } = deps.ledger;
  const { effects } = deps;
  function wait(leastMs: number): void {
    const at = tasks.nextRetryAt();
    if (at === null) return;
    timers.set('retries', Math.min(Math.max(at - effects.now(), leastMs), LONGEST_WAIT_MS), decideDue);
  }
  const decideDue = keep(() => {
    tasks.retriesDue(effects.now()).forEach(dirtyTasks.push);
    wait(AGAIN_MS);
  });
  return keep(() => wait(0));
}

const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 60_000;
// So much later the facts are others.
const FORGET_MS = 10 * 60_000;
// A loop that ends when all has run gives up on a task after so many.
const TRIES_ONCE = 3;

/** @param once the loop ends when all that is due has run */
function createNoOpBackoff(monotonicMs: () => number, once: boolean) {
  const seen = new Map<TaskId, { times: number; atMs: number }>();
  const isGivenUp = (id: TaskId): boolean => once && (seen.get(id)?.times ?? 0) > TRIES_ONCE;
  return {
    /** One more request of this task came to nothing; returns how long to leave it alone, ms, null for good. */
    note(id: TaskId): number | null {
      const atMs = monotonicMs();
      const before = seen.get(id);
      const times = (before !== undefined && atMs - before.atMs < FORGET_MS ? before.times : 0) + 1;
      seen.set(id, { times, atMs });
      return isGivenUp(id) ? null : Math.min(FIRST_REST_MS * 2 ** (times - 1), LONGEST_REST_MS);
    },
    isGivenUp,
    has: (id: TaskId): boolean => seen.has(id),
    forget: (id: TaskId): void => void seen.delete(id),
  };
}
