// Requests that came to nothing: there was no turn to start when their time came. The same facts would only ask for the
// same again, without end, so that each rests longer than the one before.
import type { TaskId } from '../../core/ids.ts';

export interface FruitlessRequests {
  /** One more of this task; returns how long to leave it alone, ms, null for as long as the loop lives. */
  note(id: TaskId): number | null;
  /** Nothing is to be asked for it any more. */
  isGivenUp(id: TaskId): boolean;
  /** One of the task came to nothing, and its facts are still the same. */
  has(id: TaskId): boolean;
  /** The facts are others now. */
  forget(id: TaskId): void;
}

const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 60_000;
// So much later it is another story.
const FORGET_MS = 10 * 60_000;
// A loop that ends when all has run gives up on a task after so many.
const TRIES_ONCE = 3;

/** @param once the loop ends when all that is due has run */
export function createFruitlessRequests(monotonicMs: () => number, once: boolean): FruitlessRequests {
  const seen = new Map<TaskId, { times: number; atMs: number }>();
  const isGivenUp = (id: TaskId): boolean => once && (seen.get(id)?.times ?? 0) > TRIES_ONCE;
  return {
    note(id) {
      const atMs = monotonicMs();
      const before = seen.get(id);
      const times = (before !== undefined && atMs - before.atMs < FORGET_MS ? before.times : 0) + 1;
      seen.set(id, { times, atMs });
      return isGivenUp(id) ? null : Math.min(FIRST_REST_MS * 2 ** (times - 1), LONGEST_REST_MS);
    },
    isGivenUp,
    has: (id) => seen.has(id),
    forget: (id) => void seen.delete(id),
  };
}
