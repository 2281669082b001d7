// Tells once when a room has become idle; anything that happens after makes it able to tell again.
import type { Keep } from './persistence.ts';

export interface IdleWatch {
  /** From now on a room is idle while this is true; before, none is. */
  watch(isIdle: () => boolean): void;
  /** Something happened: looks whether the room is idle, at the end of this turn of the event loop. */
  check(): void;
  /** There is something to do again. */
  busyAgain(): void;
  close(): void;
}

export function createIdleWatch(onIdle: () => void, keep: Keep): IdleWatch {
  let isIdle = () => false;
  let told = false;
  let planned = false;
  let closed = false;

  const look = keep(() => {
    planned = false;
    if (closed || told || !isIdle()) return;
    told = true;
    onIdle();
  });

  function check(): void {
    if (planned || closed) return;
    planned = true;
    setImmediate(look);
  }

  return {
    watch(condition) {
      isIdle = condition;
      check();
    },
    check,
    busyAgain() {
      told = false;
    },
    close() {
      closed = true;
    },
  };
}
