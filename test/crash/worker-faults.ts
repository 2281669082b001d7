// What goes wrong in a storm over workers, one thing after the other without end: drawn from the seed alone, so that the same
// seed brings the same faults in the same order.
import type { Cut } from '../support/cut-proxy.ts';
import { createRandom } from '../support/random.ts';

/** Between whom a line is cut. */
export type Line = 'worker-host' | 'worker-postgres' | 'host-postgres';

export type Fault =
  /** Killed (-9), and started again in its folder after `downMs`. */
  | { kind: 'worker'; worker: number; downMs: number }
  /** The same, with nothing else going on until its turns run elsewhere. */
  | { kind: 'lone worker'; worker: number }
  /** A person kills a turn, with nothing else going on until its agent is dead. */
  | { kind: 'lone kill' }
  | { kind: 'host'; downMs: number }
  | { kind: 'postgres'; downMs: number }
  | { kind: 'cut'; line: Line; worker: number; how: Cut; downMs: number };

export interface PlannedFault {
  /** Of quiet before it. */
  afterMs: number;
  fault: Fault;
}

/** In every so many faults one worker dies alone, and one turn is killed. */
const ALONE_EVERY = 30;
const MOST_PAUSE_MS = 1_600;
/** Longer than a worker waits for the queue before it gives its turns up. */
const LONG_CUT_MS = 9_000;
const SHORT_CUT_MS = 1_200;

export function* planFaults(seed: number, workers: number): Generator<PlannedFault, never> {
  const random = createRandom(seed);
  const below = (most: number) => Math.trunc(random() * most);
  const oneOf = <T>(of: readonly T[]): T => of[below(of.length)]!;
  for (let at = 0; ; at += 1) {
    const afterMs = below(MOST_PAUSE_MS);
    const worker = below(workers);
    const dice = random();
    const downMs = random() < 0.15 ? below(LONG_CUT_MS) : below(SHORT_CUT_MS);
    const line = oneOf(['worker-host', 'worker-host', 'worker-postgres', 'host-postgres'] as const);
    const how = oneOf(['request', 'answer', 'answer', 'silence'] as const);
    if (at % ALONE_EVERY === 1) yield { afterMs, fault: { kind: 'lone kill' } };
    else if (at % ALONE_EVERY === 4) yield { afterMs, fault: { kind: 'lone worker', worker } };
    else if (dice < 0.2) yield { afterMs, fault: { kind: 'worker', worker, downMs } };
    else if (dice < 0.32) yield { afterMs, fault: { kind: 'host', downMs } };
    else if (dice < 0.38) yield { afterMs, fault: { kind: 'postgres', downMs } };
    else yield { afterMs, fault: { kind: 'cut', line, worker, how, downMs } };
  }
}
