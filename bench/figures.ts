// What a bench hands back, and the little arithmetic they share. Times are milliseconds.

import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';

/** One measured line. */
export interface Figure {
  what: string;
  /** Ours, for people: `812 ms`. */
  ours: string;
  /** What it is compared with, measured in the same run; '' when the bound is absolute. */
  peer: string;
  /** The number that the bound is about, and the bound. */
  value: string;
  bound: string;
  /** Null for a figure that has no bound. */
  pass: boolean | null;
}

export interface BenchOptions {
  /** Small sizes and few rounds: says that it runs, not how fast it is. */
  quick: boolean;
  note(text: string): void;
}

export interface Bench {
  name: string;
  /** How it is measured, one paragraph for docs/performance.md. */
  how: string;
  run(options: BenchOptions): Promise<Figure[]>;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function showMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : showCount(ms)} ms`;
}

export function showCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A figure that is a ratio of medians of two things measured by turns. */
export function ratioFigure(
  what: string,
  ours: readonly number[],
  peer: { name: string; times: readonly number[] },
  limit: number | null,
): Figure {
  const ratio = median(ours) / median(peer.times);
  return {
    what,
    ours: showMs(median(ours)),
    peer: `${peer.name} ${showMs(median(peer.times))}`,
    value: `${ratio.toFixed(2)}×`,
    bound: limit === null ? '' : `≤ ${limit}×`,
    pass: limit === null ? null : ratio <= limit,
  };
}

/** A figure with an upper bound of its own. */
export function limitFigure(
  what: string,
  value: number,
  limit: number | null,
  show: (value: number) => string,
  ours = '',
): Figure {
  const bound = limit === null ? '' : `≤ ${show(limit)}`;
  return { what, ours, peer: '', value: show(value), bound, pass: limit === null ? null : value <= limit };
}

/**
 * Runs the two by turns, first one then the other ahead, so that neither always meets the colder machine.
 * @returns the times of the rounds, without the first, which warms both up
 */
export async function byTurns(
  rounds: number,
  first: () => Promise<number> | number,
  second: () => Promise<number> | number,
): Promise<{ first: number[]; second: number[] }> {
  const times = { first: [] as number[], second: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const swapped = round % 2 === 1;
    const early = await (swapped ? second() : first());
    const late = await (swapped ? first() : second());
    if (round === 0) continue;
    times.first.push(swapped ? late : early);
    times.second.push(swapped ? early : late);
  }
  return times;
}

type Collect = (options: { type: 'minor' }) => void;

let collect: Collect | null = null;

/** Times `run` after the young garbage of what came before is gone (a full collection would throw compiled code away). */
export async function timed(run: () => unknown): Promise<number> {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
