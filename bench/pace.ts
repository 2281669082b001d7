// How fast the machine is at this moment, against the one the bounds were set on: a bound in milliseconds is worth that
// much more on a machine that starts an empty Node later, and never less than it says.
import { spawnSync } from 'node:child_process';
import { type Figure, median, showMs } from './figures.ts';

/** What `node -e 0` took on the machine, and on the day, the bounds were set on. */
const REFERENCE_NODE_MS = 27;
/** A machine slower than this is too slow, or too busy, to say anything on. */
const MOST = 2;
const STARTS = 9;

/** A bound that grows with the slowness of the machine. */
export interface PacedBound {
  limitMs: number;
  /** ` × 1.25`; '' on a machine as fast as the reference. */
  shown: string;
}

/** @param nodeMs times of `node -e 0`, taken while the figure was */
export function pacedBound(limitMs: number, nodeMs: readonly number[]): PacedBound {
  const pace = Math.round(100 * Math.min(MOST, Math.max(1, median(nodeMs) / REFERENCE_NODE_MS))) / 100;
  return { limitMs: limitMs * pace, shown: pace === 1 ? '' : ` × ${pace.toFixed(2)}` };
}

/** A bound in milliseconds, and what `node -e 0` took around the figure. */
export interface MsLimit {
  limitMs: number;
  nodeMs: readonly number[];
}

/** A figure in milliseconds, its bound worth more where the machine is slower than the one it was set on. */
export function msFigure(what: string, value: number, limit: MsLimit | null, ours = ''): Figure {
  const bound = limit === null ? null : pacedBound(limit.limitMs, limit.nodeMs);
  return {
    what,
    ours,
    peer: limit === null ? '' : `node -e 0: ${showMs(median(limit.nodeMs))}`,
    value: showMs(value),
    bound: bound === null ? '' : `≤ ${showMs(limit!.limitMs)}${bound.shown}`,
    pass: bound === null ? null : value <= bound.limitMs,
  };
}

/** Starts an empty Node a few times; to be called before and after what is measured. */
export function startNodes(): number[] {
  return Array.from({ length: STARTS }, () => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - startedAt;
  });
}
