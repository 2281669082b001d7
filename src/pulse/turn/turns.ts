// Turns of every kind, each run to its end on record. One that disk or ledger interrupt on its way is taken up again from
// what its process left on disk.
import { isPassing } from '../../core/errors.ts';
import { choreOfThread, dreamOfThread, type ThreadId, taskOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { sleep } from '../../effects.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import { createChoreDriver } from './chore-turn.ts';
import type { TurnDriver } from './drive-turn.ts';
import { createSummaryDriver } from './summary-turn.ts';
import { createTaskDriver } from './task-turn.ts';
import type { TurnResult } from './turn-record.ts';

// A fault of the disk or of ours must not spin: each rest is longer than the one before.
const FAULT_REST_MS = 2_000;
const LONGEST_TROUBLE_REST_MS = 10_000;
const LONGEST_FAULT_REST_MS = 5 * 60_000;

/** What became of a request: `ran` is false where it led to no turn. */
export interface Over {
  ran: boolean;
}

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(base: Base, driverOf = driversOf(base)) {
  const count = { turns: 0, failed: 0 };
  const untilRecorded = createPatience(base, driverOf);

  /** Resolves when the end of the turn is on record and its file taken in. Never rejects. */
  async function follow(thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>): Promise<Over> {
    const result = await untilRecorded(thread, slot, run);
    if (result !== 'skipped') count.turns += 1;
    if (result === 'failed') count.failed += 1;
    const id = taskOfThread(thread);
    if (id !== null) await base.dirtyPaths.lookAtTask(id).catch(base.onTrouble);
    // Requests may come to nothing without ever waiting for anything: signals are heeded between them.
    if (result === 'skipped') await new Promise<void>((resolve) => setImmediate(resolve));
    return { ran: result !== 'skipped' };
  }

  return {
    run: (request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<Over> =>
      follow(request.thread, slot, () => driverOf(request.thread).drive(request, running, slot)),
    /** The same with a turn that is on record as running. */
    adopt: (turn: TurnRecord, slot: TurnSlot): Promise<Over> =>
      follow(turn.thread, slot, () => driverOf(turn.thread).adopt(turn, slot, false)),
    /** Records that a turn was lost with its runtime. */
    interrupt: (turn: TurnRecord): Promise<TurnResult> => driverOf(turn.thread).interrupt(turn),
    count: () => ({ ...count }),
  };
}

/** Runs a turn until its end is on record, resting after each fault. */
function createPatience({ deps, ...base }: Base, driverOf: (thread: ThreadId) => TurnDriver) {
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

  /** Of what is on record as running; null where nothing is. What failed twice is not tried again, and its end is recorded. */
  async function takeUp(thread: ThreadId, slot: TurnSlot, fault: string | null): Promise<TurnResult | null> {
    const left = deps.ledger.turns.runningOn(thread);
    if (left === null) return null;
    if (fault === null) return driverOf(thread).adopt(left, slot, true);
    await base.endProcesses(left.id);
    return driverOf(thread).interrupt(left, fault);
  }

  return async (thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>): Promise<TurnResult> => {
    const bugs: unknown[] = [];
    for (let again: () => Promise<TurnResult | null> = run; ; ) {
      try {
        const result = await again();
        if (result === null) return 'failed';
        faults.delete(thread);
        return result;
      } catch (error) {
        base.onTrouble(error);
        await rest(thread, error, slot.signal);
        // A record that still says running is taken up at the next start.
        if (base.isStopping()) return 'failed';
        if (!isPassing(error)) bugs.push(error);
        const bug = String(bugs.at(-1)).split('\n')[0];
        again = () =>
          takeUp(thread, slot, bugs.length < 2 ? null : `a fault of taskroom lost its end: ${bug}`);
      }
    }
  };
}

function driversOf(base: Base): (thread: ThreadId) => TurnDriver {
  const [task, chore, summary] = [createTaskDriver(base), createChoreDriver(base), createSummaryDriver(base)];
  return (thread) => {
    if (dreamOfThread(thread) !== null) return summary;
    return choreOfThread(thread) === null ? task : chore;
  };
}
