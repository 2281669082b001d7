// What is on record of a turn: its beginning, what its agent reports on its way, and its end, once, in one commit with what it says of
// its agent's usage limit and what it means for its subject.
import { type Outcome, outcomeFor, type Runner, type RunnerEvent } from '../../agents/runner.ts';
import { commandOf } from '../../core/config/agent-env.ts';
import { type TaskId, type ThreadId, taskOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { type LimitWait, waitAfterLimit, waitForPayment } from '../../core/rules/waits.ts';
import { type Moment, pausedBetween } from '../../core/time/durations.ts';
import type { Effects } from '../../effects.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord, TurnStart } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { TurnSlot } from '../active-turns.ts';

export type StartFacts = Pick<TurnStart, 'attempt' | 'revision' | 'description'>;

/** `skipped`: there was nothing to do any more. `interrupted`: cut short; it is tried again and counts as no failure. */
export type TurnResult = Outcome['state'] | 'skipped' | 'interrupted';

export interface RunEnd {
  outcome: Outcome;
  /** It was interrupted under a runtime that lived and did not ask for it: a failure like any other. */
  counts: boolean;
  /** False where nobody saw how it ended: it gets no result. */
  isSeen: boolean;
  /** Trouble outside kept it from starting: when it is tried again, epoch ms. */
  retryAt?: number;
}

/** Puts a turn on record, with what follows from its request; null when the request is gone. Runs within a commit of the caller. */
export function beginTurn(
  { ledger, agents, effects }: TaskRoom,
  { thread, origin, agent, reasons, outside, askedAt }: TurnRequest,
  { turn: id }: RunningTurn,
  ready: { runner: Runner; facts(): StartFacts; begun?(turn: TurnRecord): void },
): TurnRecord | null {
  const command = commandOf(agents().get(agent));
  const asked = { id, thread, origin, agent, reasons, outside, askedAt, startedAt: effects.now() };
  if (!ledger.turns.begin({ ...asked, ...ready.facts(), runner: ready.runner.name, command })) return null;
  const turn = ledger.turns.get(id)!;
  ready.begun?.(turn);
  return turn;
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
      ledger.turns.setUsage(turn.id, event.usage);
      slot.spends();
    }
  }
}

function momentOf(effects: Effects): Moment {
  return { wallMs: effects.now(), monotonicMs: effects.monotonicMs() };
}

/** How a turn that ended so counts. */
export function resultOf({ outcome, counts }: Pick<RunEnd, 'outcome' | 'counts'>): TurnResult {
  const { reason, isUnpaid } = outcome;
  const isCutShort = (reason === 'interrupted' && !counts) || reason === 'rate_limited' || isUnpaid === true;
  return isCutShort ? 'interrupted' : outcome.state;
}

/** The end of a turn that its runtime, or trouble outside, cut short. */
export const interrupted = (message: string): Outcome => outcomeFor('interrupted', message);

const LOOKED_BACK = 10;

/** How often in a row the newest turns of a thread were interrupted, the one that ends now included. */
export function interruptionsInARow({ turns }: Ledger, thread: ThreadId): number {
  const ended = turns.list({ thread, limit: LOOKED_BACK }).filter(({ state }) => state !== 'running');
  const other = ended.findIndex(({ reason }) => reason !== 'interrupted');
  return 1 + (other === -1 ? ended.length : other);
}

/** Records the end of a turn; `isFirst` is false when it had ended before. @param also joins the commit */
export function recordEnd(
  deps: TaskRoom,
  turn: TurnRecord,
  outcome: Outcome,
  also: ((endedAt: number) => void) | undefined,
) {
  const { ledger, effects } = deps;
  const endedAt = effects.now();
  const wait = waitAfter(deps, turn, outcome);
  const isFirst = ledger.transaction(() => {
    if (!ledger.turns.end(turn.id, { ...outcome, until: wait?.until ?? null, endedAt })) return false;
    recordLimit(ledger, turn, outcome, wait);
    also?.(endedAt);
    return true;
  });
  return { outcome, endedAt, isFirst };
}

export function tellStart(deps: TaskRoom, turn: TurnRecord, adopted: boolean): void {
  const { id, agent, attempt, reasons } = turn;
  const about = { agent, attempt, reasons, adopted };
  deps.events.emit({ type: 'turn.started', turn: id, ...about, ...subjectOf(deps, turn) });
}

export function tellEnd(
  deps: TaskRoom,
  turn: TurnRecord,
  { outcome, endedAt }: { outcome: Outcome; endedAt: number },
): void {
  const { state, reason, exitCode, message } = outcome;
  const about = { state, reason, exitCode, message, tookMs: endedAt - turn.startedAt };
  deps.events.emit({ type: 'turn.ended', turn: turn.id, ...about, ...subjectOf(deps, turn) });
}

/** The task of a turn, or what it is about else, by name. */
export function subjectOf(
  { ledger }: Pick<TaskRoom, 'ledger'>,
  { thread, description }: Pick<TurnRecord, 'thread' | 'description'>,
): { id: TaskId | null; name: string } {
  const id = taskOfThread(thread);
  return { id, name: id === null ? description : (ledger.tasks.get(id)?.name ?? id) };
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
  const limited = { startedAt: turn.startedAt, endsAt: until ?? null };
  return waitAfterLimit(ledger.limitWaits.get(turn.agent), limited, effects.now());
}

function recordLimit({ limitWaits }: Ledger, turn: TurnRecord, end: Outcome, wait: LimitWait | null): void {
  const before = limitWaits.get(turn.agent);
  if (wait !== null) limitWaits.put({ agent: turn.agent, ...wait });
  else if (before !== null && turn.startedAt >= before.since && didWork(end)) limitWaits.clear(turn.agent);
}

/** An agent that was stopped from outside shows nothing of its limit. */
function didWork({ state, reason }: Outcome): boolean {
  return state === 'completed' || (state === 'failed' && reason !== 'interrupted' && reason !== 'budget');
}
