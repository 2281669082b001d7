// Tells once when a room has become idle; anything that happens after makes it able to tell again.
export interface IdleWatch {
  /** Something happened: look, at the end of this turn of the event loop. */
  check(): void;
  /** There is something to do again. */
  stir(): void;
  close(): void;
}

export function createIdleWatch(isIdle: () => boolean, onIdle: () => void): IdleWatch {
  let told = false;
  let planned = false;
  let closed = false;
  return {
    check() {
      if (planned || closed) return;
      planned = true;
      setImmediate(() => {
        planned = false;
        if (closed || told || !isIdle()) return;
        told = true;
        onIdle();
      });
    },
    stir() {
      told = false;
    },
    close() {
      closed = true;
    },
  };
}
