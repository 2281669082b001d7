// Turns of every kind, each run to its end on record. One that disk or ledger interrupt on its way is taken up again from
// what its process left on disk.
import { isPassing } from '../../core/errors.ts';
import { type ThreadId, taskOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { sleep } from '../../effects.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TurnSlot } from '../state/active-turns.ts';
import type { Loop } from '../state/loop.ts';
import type { Driver } from './drive-turn.ts';
import { createDrivers } from './kinds.ts';
import type { TurnResult } from './turn-kind.ts';

// A fault of the disk or of ours must not spin: each rest is longer than the one before.
const FAULT_REST_MS = 2_000;
const LONGEST_TROUBLE_REST_MS = 10_000;
const LONGEST_FAULT_REST_MS = 5 * 60_000;

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(loop: Loop, driverOf = createDrivers(loop)) {
  const count = { turns: 0, failed: 0 };
  const untilRecorded = createPatience(loop, driverOf);

  /** Resolves when the end of the turn is on record and its file taken in; `ran` is false where it led to no turn. Never rejects. */
  async function follow(thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>) {
    const result = await untilRecorded(thread, slot, run);
    if (result !== 'skipped') count.turns += 1;
    if (result === 'failed') count.failed += 1;
    const id = taskOfThread(thread);
    if (id !== null) await loop.dirtyPaths.pushTask(id).catch(loop.onTrouble);
    // Requests may come to nothing without ever waiting for anything: signals are heeded between them.
    if (result === 'skipped') await new Promise<void>((resolve) => setImmediate(resolve));
    return { ran: result !== 'skipped' };
  }

  return {
    run: (request: TurnRequest, running: RunningTurn, slot: TurnSlot) =>
      follow(request.thread, slot, () => driverOf(request.thread).drive(request, running, slot)),
    /** The same with a turn that is on record as running. */
    adopt: (turn: TurnRecord, slot: TurnSlot) =>
      follow(turn.thread, slot, () => driverOf(turn.thread).adopt(turn, slot, false)),
    /** Records that a turn was lost with its runtime. */
    interrupt: (turn: TurnRecord): Promise<TurnResult> => driverOf(turn.thread).interrupt(turn),
    count: () => ({ ...count }),
  };
}

/** Runs a turn until its end is on record, resting after each fault. */
function createPatience({ deps, ...loop }: Loop, driverOf: (thread: ThreadId) => Driver) {
  const faults = new Map<ThreadId, number>();

  async function rest(thread: ThreadId, error: unknown, signal: AbortSignal): Promise<void> {
    const before = faults.get(thread) ?? 0;
    faults.set(thread, before + 1);
    // What is over soon is to be noticed soon.
    const longestMs = isPassing(error) ? LONGEST_TROUBLE_REST_MS : LONGEST_FAULT_REST_MS;
    const restMs = Math.min(FAULT_REST_MS * 2 ** before, longestMs);
    // A stop ends all but the first part of it.
    await sleep(deps.effects, FAULT_REST_MS);
    if (restMs > FAULT_REST_MS) await sleep(deps.effects, restMs - FAULT_REST_MS, signal);
  }

  /** Takes up what is on record as running; null where nothing is. What failed twice is not tried again, and its end is recorded. */
  async function takeUp(thread: ThreadId, slot: TurnSlot, bugs: readonly unknown[]) {
    const left = deps.ledger.turns.runningOn(thread);
    if (left === null) return null;
    if (bugs.length < 2) return driverOf(thread).adopt(left, slot, true);
    await loop.endProcesses(left.id);
    const bug = String(bugs.at(-1)).split('\n')[0];
    return driverOf(thread).interrupt(left, `a fault of taskroom lost its end: ${bug}`);
  }

  return async (thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>): Promise<TurnResult> => {
    const bugs: unknown[] = [];
    for (let again: () => Promise<TurnResult | null> = run; ; again = () => takeUp(thread, slot, bugs)) {
      try {
        const result = await again();
        if (result === null) return 'failed';
        faults.delete(thread);
        return result;
      } catch (error) {
        loop.onTrouble(error);
        await rest(thread, error, slot.signal);
        // A record that still says running is taken up at the next start.
        if (loop.isStopping()) return 'failed';
        if (!isPassing(error)) bugs.push(error);
      }
    }
  };
}
