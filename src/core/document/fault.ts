// A fault is a problem with an offset; with the file's path and text it becomes a Problem.

import type { Problem } from '../errors.ts';
import { placeOf } from './edits.ts';

export interface Fault {
  at: number;
  message: string;
  expected?: string;
  hint?: string;
}

export type Result<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

export function fail(at: number, message: string, more: { expected?: string; hint?: string } = {}) {
  return { ok: false as const, faults: [{ at, message, ...more }] };
}

const MAX_PROBLEMS = 10;

/** Faults of `text` in the order of their places, at most ten. */
export function toProblems(text: string, path: string, faults: readonly Fault[]): Problem[] {
  const sorted = [...faults].sort((a, b) => a.at - b.at).slice(0, MAX_PROBLEMS);
  return sorted.map(({ at, ...rest }) => ({ path, ...placeOf(text, at), ...rest }));
}
