// What is on record of a turn: its beginning, what its agent tells on its way, and its end, once, in one commit with what it says of
// its agent's usage limit and what it means for its subject.
import type { Outcome, Runner, RunnerEvent } from '../../agents/runner.ts';
import { commandOf } from '../../core/config/agent-env.ts';
import type { TaskId, ThreadId } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { type LimitWait, waitAfterLimit, waitForPayment } from '../../core/rules/usage-limit.ts';
import { type Moment, pausedBetween } from '../../core/time/paused.ts';
import type { Effects } from '../../effects.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord, TurnStart } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { TurnSlot } from '../active-turns.ts';

/** Puts a turn on record, with what follows from its request; null when the request is gone. Runs within a commit of the caller. */
export function beginTurn(
  { ledger, agents, effects }: TaskRoom,
  request: TurnRequest,
  { turn }: RunningTurn,
  runner: Runner,
  facts: Pick<TurnStart, 'attempt' | 'revision' | 'description'>,
): TurnRecord | null {
  const { thread, origin, agent, reasons, outside, askedAt } = request;
  const command = commandOf(agents().get(agent));
  const asked = { id: turn, thread, origin, agent, reasons, outside, askedAt, startedAt: effects.now() };
  const isBegun = ledger.turns.begin({ ...asked, ...facts, runner: runner.name, command });
  return isBegun ? ledger.turns.get(turn) : null;
}

/**
 * Follows a run to its end.
 * @param lived whether this runtime was there when the turn began; of an adopted one it saw at least a live process
 */
export async function followRun(
  { ledger, effects }: Pick<TaskRoom, 'ledger' | 'effects'>,
  turn: TurnRecord,
  run: AsyncGenerator<RunnerEvent, Outcome, void>,
  slot: TurnSlot,
  lived: boolean,
  onSession: (id: string | null) => void,
): Promise<RunEnd> {
  let seenAlive = lived;
  const begun = momentOf(effects);
  for (;;) {
    const next = await run.next();
    if (next.done) {
      const outcome = next.value;
      const pausedMs = pausedBetween(begun, momentOf(effects));
      if (pausedMs > 0) ledger.turns.update(turn.id, { pausedMs: turn.pausedMs + pausedMs });
      const counts = outcome.reason === 'interrupted' && seenAlive && !slot.signal.aborted;
      return { outcome, counts, isSeen: true };
    }
    const event = next.value;
    if (event.type === 'started') {
      seenAlive = true;
      if (event.pid !== turn.pid) ledger.turns.update(turn.id, { pid: event.pid });
      slot.spends();
    } else if (event.type === 'output') slot.output(event.bytes);
    else if (event.type === 'session') onSession(event.id);
    else {
      ledger.spending.setUsage(turn.id, event.usage);
      slot.spends();
    }
  }
}

function momentOf(effects: Effects): Moment {
  return { wallMs: effects.now(), monotonicMs: effects.monotonicMs() };
}

export interface RunEnd {
  outcome: Outcome;
  /** It was interrupted under a runtime that lived and did not ask for it: a failure like any other. */
  counts: boolean;
  /** False where nobody saw how it ended: it gets no result. */
  isSeen: boolean;
  /** Trouble outside kept it from starting: when it is tried again, epoch ms. */
  retryAt?: number;
}

/**
 * What became of a request or a turn: skipped when there was nothing to run any more, interrupted when it was cut short by
 * nothing it could help (the runtime's end, its agent's usage limit).
 */
export type TurnResult = 'skipped' | 'completed' | 'failed' | 'killed' | 'interrupted';

/** How a turn that ended so counts. */
export function resultOf({ outcome, counts }: Pick<RunEnd, 'outcome' | 'counts'>): TurnResult {
  const { reason, isUnpaid } = outcome;
  const isCutShort = (reason === 'interrupted' && !counts) || reason === 'rate_limited' || isUnpaid === true;
  return isCutShort ? 'interrupted' : outcome.state;
}

/** The end of a turn that its runtime, or trouble outside, cut short. */
export function interrupted(message: string): Outcome {
  return { state: 'failed', reason: 'interrupted', exitCode: null, signal: null, message };
}

const LOOKED_BACK = 10;

/** How often in a row the newest turns of a thread were interrupted, the one that ends now included. */
export function interruptionsInARow({ turns }: Ledger, thread: ThreadId): number {
  const ended = turns.list({ thread, limit: LOOKED_BACK }).filter(({ state }) => state !== 'running');
  const other = ended.findIndex(({ reason }) => reason !== 'interrupted');
  return 1 + (other === -1 ? ended.length : other);
}

/** Records the end of a turn, once. @param also joins the commit */
export function recordEnd(
  deps: TaskRoom,
  turn: TurnRecord,
  outcome: Outcome,
  also: (endedAt: number) => void = () => {},
) {
  const { ledger, effects } = deps;
  const endedAt = effects.now();
  const wait = waitAfter(deps, turn, outcome);
  const isFirst = ledger.transaction(() => {
    if (!ledger.turns.end(turn.id, { ...outcome, until: wait?.until ?? null, endedAt })) return false;
    recordLimit(ledger, turn, outcome, wait);
    also(endedAt);
    return true;
  });
  // `isFirst`: false when the turn had ended before.
  return { outcome, endedAt, isFirst };
}

/** Tells of an end that is on record, once. */
export function tellEnd(
  { events }: TaskRoom,
  turn: TurnRecord,
  { outcome, endedAt, isFirst }: ReturnType<typeof recordEnd>,
  about: { id: TaskId | null; name: string },
): void {
  if (!isFirst) return;
  const { state, reason, exitCode, message } = outcome;
  const tookMs = endedAt - turn.startedAt;
  events.emit({ type: 'turn.ended', turn: turn.id, ...about, state, reason, exitCode, tookMs, message });
}

/** How long turns of the agent wait after this end; null where it met no limit. Writes nothing. */
function waitAfter(
  { ledger, effects }: TaskRoom,
  turn: TurnRecord,
  { reason, until, isUnpaid, message }: Outcome,
): LimitWait | null {
  if (isUnpaid === true) return waitForPayment(message, effects.now());
  // A day's budget that has too little left for more is no limit of the agent's, and is over as one: at midnight.
  const tellsEnd = reason === 'budget' && until != null;
  if (reason !== 'rate_limited' && !tellsEnd) return null;
  const met = { startedAt: turn.startedAt, told: until ?? null };
  return waitAfterLimit(ledger.limitWaits.get(turn.agent), met, effects.now());
}

function recordLimit({ limitWaits }: Ledger, turn: TurnRecord, end: Outcome, wait: LimitWait | null): void {
  const before = limitWaits.get(turn.agent);
  if (wait !== null) limitWaits.set(turn.agent, wait);
  else if (before !== null && turn.startedAt >= before.since && didWork(end)) limitWaits.clear(turn.agent);
}

/** An agent that was stopped from outside shows nothing of its limit. */
function didWork({ state, reason }: Outcome): boolean {
  return state === 'completed' || (state === 'failed' && reason !== 'interrupted' && reason !== 'budget');
}
