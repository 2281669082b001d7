// What the end of a chore's run means for its next one: when a failed one is tried again, and when a person has to look.
// Pure. A mirror never stands still for good; a prompt does, after as many failed turns as any task may have.

import type { Chore } from '../core/chore/chore.ts';
import { nextChoreTick } from '../core/chore/chore-schedule.ts';
import type { ErrorCode } from '../core/errors.ts';
import { retryDelayMs } from '../core/rules/backoff.ts';
import type { ChoreChange, ChoreRecord } from '../store/ledger/mirrors/sources.ts';

/** A tracker that asks for more is asked again after this. */
const LONGEST_WAIT_MS = 60 * 60_000;
/** Failures that nothing but a person mends: trying again before the next tick would only cost requests. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'bad_input',
  'not_found',
  'invalid_file',
  'not_allowed',
  'refused',
  'unauthorized',
]);

export interface FailedRun {
  chore: Chore;
  record: ChoreRecord;
  /** Null where there is none, as for a turn. */
  code: ErrorCode | null;
  /** How long the other side asked to wait. */
  retryAfterMs: number | null;
  /** Failed runs in a row before this one. */
  failures: number;
  maxAttempts: number;
  timezone: string | null;
  now: number;
  /** In [0, 1), for the jitter. */
  random: number;
}

/** A run that did what it should, or that a person ended: nothing is owed. */
export function afterSuccess(record: ChoreRecord, now: number): ChoreChange {
  return { endedAt: now, result: record, failures: 0, retryAt: null, stopped: null };
}

export function afterFailure(run: FailedRun): ChoreChange {
  const { chore, record, now } = run;
  const failures = run.failures + 1;
  const change = { endedAt: now, result: record, failures };
  if (chore.mirror === null && (run.code === 'refused' || failures >= run.maxAttempts))
    return { ...change, retryAt: null, stopped: whyStopped(run, failures) };
  const waitMs = Math.max(
    Math.min(run.retryAfterMs ?? 0, LONGEST_WAIT_MS),
    retryDelayMs(failures, run.random),
  );
  const lasting = (run.code !== null && LASTING.has(run.code)) || failures >= run.maxAttempts;
  return { ...change, retryAt: nextTry(run, now + waitMs, lasting), stopped: null };
}

/** A lasting failure waits for its schedule; one that may pass by itself is tried sooner. */
function nextTry({ chore, timezone, now }: FailedRun, earliest: number, lasting: boolean): number | null {
  if (!lasting) return earliest;
  if (chore.schedule === null) return null;
  const tick = nextChoreTick(chore.schedule, timezone, now);
  return tick === null ? null : Math.max(tick, earliest);
}

function whyStopped({ code, record }: FailedRun, failures: number): string {
  if (code === 'refused') return record.message;
  return `gave up after ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}: ${record.message}`;
}
