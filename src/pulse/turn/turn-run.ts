// What every turn has in common, whatever it is about: its run is followed to the outcome, and an end that can't be
// recorded now is recorded later.
import { commandOf } from '../../core/config/agent-env.ts';
import { isPassing } from '../../core/errors.ts';
import type { RoomEvent } from '../../core/events.ts';
import type { ThreadId, TurnId } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { type Moment, pausedBetween } from '../../core/time/paused.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { Outcome, RunBasics, Runner, RunnerEvent } from '../../runners/runner.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnEnd, TurnRecord, TurnStart } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { TurnBridge } from '../ports.ts';
import { readBudgetLeft } from './budget-left.ts';
import type { DriverOptions } from './driver-options.ts';
import type { TurnResult, TurnSlot } from './turn-contract.ts';
import { turnDir } from './turn-folder.ts';

const RECORD_AGAIN_MS = 1_000;
const LONGEST_RECORD_WAIT_MS = 10_000;
const LOOKED_BACK = 10;

/** How a run ended. */
export interface RunEnd {
  outcome: Outcome;
  /** It was interrupted under a runtime that lived and did not ask for it: a failure like any other. */
  counts: boolean;
}

/** What the runner of any turn is given beside what the turn is about. */
export function runBasics(
  { deps }: Pick<DriverOptions, 'deps'>,
  turn: TurnRecord,
  bridge: TurnBridge,
  given: Pick<RunBasics, 'agent' | 'prompt' | 'adopt'>,
): Omit<RunBasics, 'signal'> {
  return {
    ...given,
    turn: { id: turn.id, attempt: turn.attempt },
    dir: turnDir(deps.room, turn.id),
    room: deps.room.dir,
    reach: bridge.reach,
    mcp: bridge.mcp,
    tools: () => bridge.tools(),
    budgetLeft: () => readBudgetLeft(deps, turn),
    session: deps.ledger.sessions.get(turn.thread, turn.agent),
    effects: deps.effects,
  };
}

/**
 * Records what a run tells on its way; resolves with how it ended.
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
      return { outcome, counts: isInterruption(outcome) && seenAlive && !slot.signal.aborted };
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

/**
 * Runs a turn and records its end after all that its agent reported.
 * @param run resolves when nothing of the turn is alive
 */
export async function reportThenRecord(
  options: Pick<DriverOptions, 'deps' | 'isStopping' | 'onTrouble'>,
  bridge: TurnBridge,
  run: () => Promise<RunEnd>,
  record: (end: RunEnd) => Promise<TurnResult>,
): Promise<TurnResult> {
  try {
    const end = await run();
    await recordDurably(options, () => bridge.drain());
    return await record(end);
  } finally {
    await bridge.close();
  }
}

/** How a turn ended may be known here alone: while disk or ledger refuse, recording it is tried again. */
export async function recordDurably<T>(
  options: Pick<DriverOptions, 'deps' | 'isStopping' | 'onTrouble'>,
  record: () => Promise<T>,
): Promise<T> {
  for (let waitMs = RECORD_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RECORD_WAIT_MS)) {
    try {
      return await record();
    } catch (error) {
      if (!isPassing(error) || options.isStopping()) throw error;
      options.onTrouble(error);
      await sleep(options.deps.effects, waitMs);
    }
  }
}

/** The end of a turn that its runtime, or trouble outside, cut short. */
export function interrupted(message: string): Outcome {
  return { state: 'failed', reason: 'interrupted', exitCode: null, signal: null, message };
}

/** The end of a turn that nobody saw: its runtime ended first, or (`fault`) failed to take it in, which counts as an attempt. */
export const unseenEnd = (fault?: string): RunEnd => ({
  outcome: interrupted(fault ?? 'the runtime ended during the turn'),
  counts: fault !== undefined,
});

/** How a turn that ended so counts. */
export function resultOf({ outcome, counts }: RunEnd): TurnResult {
  const { reason, isUnpaid } = outcome;
  const isCutShort = (isInterruption(outcome) && !counts) || reason === 'rate_limited' || isUnpaid === true;
  return isCutShort ? 'interrupted' : outcome.state;
}

function isInterruption({ reason }: Outcome): boolean {
  return reason === 'interrupted';
}

/** How often in a row the newest turns of a thread were interrupted, the one that ends now included. */
export function interruptionsInARow({ turns }: Ledger, thread: ThreadId): number {
  const ended = turns.list({ thread, limit: LOOKED_BACK }).filter(({ state }) => state !== 'running');
  const other = ended.findIndex(({ reason }) => reason !== 'interrupted');
  return 1 + (other === -1 ? ended.length : other);
}

/** Records a turn's end once; false when it had ended before. `also` joins the same commit. */
export function endTurn(ledger: Ledger, turn: TurnId, end: TurnEnd, also: () => void): boolean {
  return ledger.transaction(() => {
    const isFirst = ledger.turns.end(turn, end);
    if (isFirst) also();
    return isFirst;
  });
}

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

/** `turn.started` of a turn. */
export function startEvent(
  turn: TurnRecord,
  about: Pick<Extract<RoomEvent, { type: 'turn.started' }>, 'id' | 'name' | 'adopted'>,
): RoomEvent {
  const { id, agent, attempt, reasons } = turn;
  return { type: 'turn.started', turn: id, agent, attempt, reasons, ...about };
}

/** `turn.ended` of a turn. */
export function endEvent(
  turn: TurnRecord,
  { state, reason, exitCode, message }: Outcome,
  endedAt: number,
  about: Pick<Extract<RoomEvent, { type: 'turn.ended' }>, 'id' | 'name'>,
): RoomEvent {
  const tookMs = endedAt - turn.startedAt;
  return { type: 'turn.ended', turn: turn.id, ...about, state, reason, exitCode, tookMs, message };
}
