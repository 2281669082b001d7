// Turns of every kind, each run to its end on record. One that disk or ledger interrupt on its way is taken up again from
// what its process left on disk.
import { isPassing } from '../../core/errors.ts';
import { choreOfThread, dreamOfThread, type ThreadId, taskOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { sleep } from '../../effects.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Feedback } from '../base.ts';
import type { TurnDriver, TurnResult, TurnSlot } from './turn-contract.ts';

export interface TurnsOptions {
  deps: Pick<TaskRoom, 'ledger' | 'effects'>;
  drivers: { task: TurnDriver; chore: TurnDriver; dream: TurnDriver };
  feedback: Pick<Feedback, 'lookAtTask' | 'cameToNothing'>;
  /** Ends what is left running of a turn that nobody follows any more. */
  endProcesses(turn: string): Promise<void>;
  /** The loop is being stopped: what is interrupted now is taken up at the next start. */
  isStopping(): boolean;
  onTrouble(error: unknown): void;
}

export interface Turns {
  /** Runs the turn of a request; resolves when its end is on record and its file taken in. Never rejects. */
  run(request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<void>;
  /** The same with a turn that is on record as running. */
  adopt(turn: TurnRecord, slot: TurnSlot): Promise<void>;
  /** Records that a turn was lost with its runtime. */
  interrupt(turn: TurnRecord): Promise<TurnResult>;
  /** Turns that ended here. */
  count(): { turns: number; failed: number };
}

// A fault of the disk or of ours must not spin: each rest is longer than the one before.
const FAULT_REST_MS = 2_000;
const LONGEST_TROUBLE_REST_MS = 10_000;
const LONGEST_FAULT_REST_MS = 5 * 60_000;

export function createTurns(options: TurnsOptions): Turns {
  const { deps, drivers, feedback, isStopping, onTrouble } = options;
  const count = { turns: 0, failed: 0 };
  /** Faults in a row. */
  const faults = new Map<ThreadId, number>();
  const driverOf = ({ thread }: { thread: ThreadId }) => drivers[kindOf(thread)];

  async function follow(thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>): Promise<void> {
    const result = await untilRecorded(thread, slot, run);
    if (result !== 'skipped') count.turns += 1;
    if (result === 'failed') count.failed += 1;
    const id = taskOfThread(thread);
    if (id !== null) await feedback.lookAtTask(id).catch(onTrouble);
    if (result !== 'skipped') return;
    if (id !== null) feedback.cameToNothing(id);
    // Requests may come to nothing without ever waiting for anything: signals are heeded between them.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async function rest(thread: ThreadId, error: unknown, signal: AbortSignal): Promise<void> {
    const before = faults.get(thread) ?? 0;
    faults.set(thread, before + 1);
    const restMs = Math.min(FAULT_REST_MS * 2 ** before, longestRestMs(error));
    // A stop ends all but the first part of it.
    await sleep(deps.effects, FAULT_REST_MS);
    if (restMs > FAULT_REST_MS) await sleep(deps.effects, restMs - FAULT_REST_MS, signal);
  }

  async function untilRecorded(
    thread: ThreadId,
    slot: TurnSlot,
    run: () => Promise<TurnResult>,
  ): Promise<TurnResult> {
    const bugs: unknown[] = [];
    for (let again: () => Promise<TurnResult | null> = run; ; ) {
      try {
        const result = await again();
        if (result === null) return 'failed';
        faults.delete(thread);
        return result;
      } catch (error) {
        onTrouble(error);
        await rest(thread, error, slot.signal);
        // A record that still says running is taken up at the next start.
        if (isStopping()) return 'failed';
        if (!isPassing(error)) bugs.push(error);
        const fault = bugs.length < 2 ? null : `a fault of taskroom lost its end: ${firstLine(bugs.at(-1))}`;
        again = () => takeUp(options, thread, slot, fault);
      }
    }
  }

  return {
    run: (request, running, slot) =>
      follow(request.thread, slot, () => driverOf(request).drive(request, running, slot)),
    adopt: (turn, slot) => follow(turn.thread, slot, () => driverOf(turn).adopt(turn, slot, false)),
    interrupt: (turn) => driverOf(turn).interrupt(turn),
    count: () => ({ ...count }),
  };
}

/** Of what is on record as running; null where nothing is. What failed twice is not tried again, and its end is recorded. */
async function takeUp(
  { deps, drivers, endProcesses }: TurnsOptions,
  thread: ThreadId,
  slot: TurnSlot,
  fault: string | null,
): Promise<TurnResult | null> {
  const left = deps.ledger.turns.runningOn(thread);
  if (left === null) return null;
  const driver = drivers[kindOf(thread)];
  if (fault === null) return driver.adopt(left, slot, true);
  await endProcesses(left.id);
  return driver.interrupt(left, fault);
}

// What is over soon is to be noticed soon.
const longestRestMs = (error: unknown): number =>
  isPassing(error) ? LONGEST_TROUBLE_REST_MS : LONGEST_FAULT_REST_MS;

const firstLine = (error: unknown): string => String(error).split('\n')[0]!;

function kindOf(thread: ThreadId): keyof TurnsOptions['drivers'] {
  if (dreamOfThread(thread) !== null) return 'dream';
  return choreOfThread(thread) === null ? 'task' : 'chore';
}
