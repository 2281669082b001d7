// Tells once when a room has become idle; anything that happens after makes it able to tell again.
import type { Keep } from './persistence.ts';

export type IdleWatch = ReturnType<typeof createIdleWatch>;

export function createIdleWatch(onIdle: () => void, keep: Keep) {
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

  /** Something happened: looks whether the room is idle, at the end of this turn of the event loop. */
  function check(): void {
    if (planned || closed) return;
    planned = true;
    setImmediate(look);
  }

  return {
    /** From now on a room is idle while this is true; before, none is. */
    watch(condition: () => boolean): void {
      isIdle = condition;
      check();
    },
    check,
    /** There is something to do again. */
    busyAgain(): void {
      told = false;
    },
    close(): void {
      closed = true;
    },
  };
}
