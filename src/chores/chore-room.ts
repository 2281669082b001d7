// What running chores needs of the room; the facts of each chore, and of a failed run, put together from file and ledger.
import type { Chore } from '../core/chore/chore.ts';
import { nextChoreTick } from '../core/chore/chore-schedule.ts';
import type { ErrorCode } from '../core/errors.ts';
import { threadOfChore } from '../core/ids.ts';
import { retryDelayMs } from '../core/rules/waits.ts';
import type { Ledger, RoomParts } from '../store/ledger/ledger.ts';
import type { ChoreChange, ChoreRecord } from '../store/ledger/mirrors/sources.ts';
import { type ChoreFacts, healClock, isTold } from './due.ts';

/** Why what a chore does is ended from outside. */
export type ChoreStop = 'paused' | 'canceled';
export type EndedChore = { name: string; reason: ChoreStop };

/** What is known of each chore now. A clock that was set back is settled on the way. */
export function choreFacts(
  { ledger, effects }: Pick<RoomParts, 'ledger' | 'effects'>,
  chores: readonly Chore[],
  isSyncing: (name: string) => boolean,
): ChoreFacts[] {
  const now = effects.now();
  return chores.flatMap((chore): ChoreFacts[] => {
    const { name } = chore;
    const memory = ledger.chores.get(name);
    if (memory === null) return [];
    const busy = chore.mirror === null ? hasTurn(ledger, name) : isSyncing(name);
    const healed = busy ? null : healClock({ chore, memory }, now);
    if (healed === null) return [{ chore, memory, busy, told: isTold(ledger, memory) }];
    ledger.chores.update(name, healed);
    return [{ chore, memory: { ...memory, ...healed }, busy }];
  });
}

/** What a failed run means for the chore, by what is on record of it. */
export function failureOf(
  deps: Pick<RoomParts, 'ledger' | 'effects' | 'config'>,
  chore: Chore,
  failure: Pick<FailedRun, 'record' | 'code' | 'retryAfterMs'>,
): ChoreChange {
  const { ledger, effects } = deps;
  const { maxAttempts, timezone } = deps.config();
  return afterFailure({
    chore,
    ...failure,
    failures: ledger.chores.get(chore.name)?.failures ?? 0,
    maxAttempts,
    timezone,
    now: effects.now(),
    random: effects.randomBytes(1)[0]! / 256,
  });
}

function hasTurn(ledger: Ledger, name: string): boolean {
  const thread = threadOfChore(name);
  return ledger.requests.get(thread) !== null || ledger.turns.runningOn(thread) !== null;
}

// What the end of a chore's run means for its next one: when a failed one is tried again, and when a person has to look.
// A mirror never stands still for good; a prompt does, after as many failed turns as any task may have.

const LONGEST_WAIT_MS = 60 * 60_000; // A tracker that asks for more is asked again after this.
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
  code: ErrorCode | null; // Null where there is none, as for a turn.
  retryAfterMs: number | null; // How long the other side asked to wait.
  failures: number;
  maxAttempts: number;
  timezone: string | null;
  now: number;
  random: number; // In [0, 1), for the jitter.
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
