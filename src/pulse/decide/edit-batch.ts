// Edits made together are passed on together, so that a mass edit is seen as one: what has settled waits a little while
// more is to come.
import type { TaskId } from '../../core/ids.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { Keep } from '../persistence.ts';

export interface EditBatchOptions {
  effects: Effects;
  /** Edits that may belong to the same batch still settle. */
  isMoreToCome(): boolean;
  /** So many files wait to be read that together with them this may be a mass edit. */
  isFlooded(): boolean;
  passOn(ids: TaskId[]): void;
  keep: Keep;
}

export interface EditBatch {
  /** Adds a task whose edits have settled. */
  add(id: TaskId): void;
  /** What was to come may have come: passes on at once when nothing is left to wait for. */
  passOnSoon(): void;
  has(id: TaskId): boolean;
  isEmpty(): boolean;
  close(): void;
}

// However long edits go on elsewhere, what has settled is not held back for longer.
const LONGEST_WAIT_MS = 2_000;
// A slow disk may be long in giving up a branch's files; then it is looked at again and again.
const LONGEST_FLOOD_MS = 60_000;
const LOOK_AGAIN_MS = 250;

export function createEditBatch({
  effects,
  isMoreToCome,
  isFlooded,
  passOn,
  keep,
}: EditBatchOptions): EditBatch {
  let ids: TaskId[] = [];
  let since = 0;
  let timer: Timer | null = null;

  function passOnSoon(): void {
    timer?.cancel();
    const waitedMs = effects.monotonicMs() - since;
    if (isFlooded() && waitedMs < LONGEST_FLOOD_MS) {
      timer = effects.setTimer(LOOK_AGAIN_MS, passOnSoon);
      return;
    }
    const waitMs = isMoreToCome() ? Math.max(0, LONGEST_WAIT_MS - waitedMs) : 0;
    if (waitMs === 0) return passOnNow();
    timer = effects.setTimer(waitMs, passOnSoon);
  }

  const passOnNow = keep(() => {
    timer?.cancel();
    timer = null;
    const batch = [...ids];
    passOn(batch);
    ids = ids.slice(batch.length);
  });

  return {
    add(id) {
      if (ids.length === 0) since = effects.monotonicMs();
      ids.push(id);
      passOnSoon();
    },
    passOnSoon,
    has: (id) => ids.includes(id),
    isEmpty: () => ids.length === 0,
    close: () => timer?.cancel(),
  };
}
