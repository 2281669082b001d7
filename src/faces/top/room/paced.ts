// A look at the room that is asked for more often than it is worth: one at a time, the first at once, and afterwards a rest
// that grows with what a look costs, so that a large room never takes more than its share of the processor.
import type { Effects, Timer } from '../../../effects.ts';

export type Paced = ReturnType<typeof createPaced>;

export interface Pace {
  /** At least this long between the end of a look and the next. */
  restMs: number;
  /** And this many times as long as the look took. */
  restTimes: number;
}

export function createPaced(
  effects: Pick<Effects, 'setTimer' | 'monotonicMs'>,
  { restMs, restTimes }: Pace,
  look: () => Promise<void>,
) {
  let isAsked = false;
  let isBusy = false;
  let isClosed = false;
  let timer: Timer | null = null;
  async function run(): Promise<void> {
    isBusy = true;
    isAsked = false;
    const began = effects.monotonicMs();
    await look();
    const rest = Math.max(restMs, (effects.monotonicMs() - began) * restTimes);
    if (isClosed) return;
    timer = effects.setTimer(rest, () => {
      timer = null;
      isBusy = false;
      if (isAsked) void run();
    });
  }
  return {
    /** There may be something new. */
    ask() {
      isAsked = true;
      if (!isBusy && !isClosed) void run();
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
