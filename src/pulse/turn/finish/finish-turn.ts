// The end of a turn, on record once, in one commit with what it says of its agent's usage limit and what it means for its subject.
import type { Outcome } from '../../../agents/runner.ts';
import { type ErrorCode, isPassing, type RoomError } from '../../../core/errors.ts';
import { type LimitWait, putOffDelayMs, waitAfterLimit, waitForPayment } from '../../../core/rules/waits.ts';
import { sleep } from '../../../effects.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { Loop } from '../../state/loop.ts';
import { writeTurnResult } from '../turn-files.ts';
import type { AnyContext, Ending, Ran, RunEnd, TurnKind, TurnResult } from '../turn-kind.ts';
import { endsInARow, interrupted, subjectOf } from '../turn-kind.ts';

const RECORD_AGAIN_MS = 1_000;
const LONGEST_RECORD_WAIT_MS = 10_000;

/** How a turn ended may be known here alone: while disk or ledger refuse, recording it is tried again. */
export async function recordDurably<T>(loop: Loop, record: () => Promise<T>): Promise<T> {
  for (let waitMs = RECORD_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RECORD_WAIT_MS)) {
    try {
      return await record();
    } catch (error) {
      if (!isPassing(error) || loop.isStopping()) throw error;
      loop.onTrouble(error);
      await sleep(loop.deps.effects, waitMs);
    }
  }
}

type EndingKind<Context extends AnyContext> = Pick<TurnKind<Context, never>, 'end'>;

/** Finishes the turn; while disk or ledger refuse it is tried again. */
export const finishDurably = <Context extends AnyContext>(...given: Parameters<typeof finishTurn<Context>>) =>
  recordDurably(given[0], () => finishTurn(...given));

/** @param ran null for a turn whose agent did not run here */
export async function finishTurn<Context extends AnyContext>(
  loop: Loop,
  kind: EndingKind<Context>,
  turn: TurnRecord,
  end: RunEnd,
  ran: Ran<Context> | null = null,
): Promise<TurnResult> {
  const { deps } = loop;
  const ending = await kind.end(loop, turn, end, ran);
  if (ending === null) return 'interrupted';
  if (end.isSeen) writeTurnResult(loop, turn.id, ending.outcome);
  const record = () => recordEnd(deps, turn, ending.settle());
  const { outcome, endedAt, isFirst } = await deps.ledger.together(record);
  const result = resultOf(outcome, end.counts);
  if (!isFirst) return result;
  const { state, reason, exitCode, message } = outcome;
  const about = { state, reason, exitCode, message, tookMs: endedAt - turn.startedAt };
  deps.events.emit({ type: 'turn.ended', turn: turn.id, ...about, ...subjectOf(deps, turn) });
  ending.recorded?.(result, about.tookMs);
  return result;
}

// What passes by itself when the disk or another process lets go; anything else needs a person.
const OUTSIDE: ReadonlySet<ErrorCode> = new Set(['io', 'locked', 'room_gone', 'conflict', 'not_found']);

/** Ends a turn that could not start. Trouble outside is no failure of the agent: the turn is tried again later and later. */
export async function finishRefused<Context extends AnyContext>(
  loop: Loop,
  kind: EndingKind<Context>,
  turn: TurnRecord,
  error: RoomError,
): Promise<void> {
  const outcome = interrupted(error.message);
  if (!OUTSIDE.has(error.code)) {
    const refused: RunEnd = { outcome: { ...outcome, reason: 'refused' }, counts: false, isSeen: true };
    return void (await finishDurably(loop, kind, turn, refused));
  }
  const { deps, onTrouble } = loop;
  onTrouble(error);
  const retryAt = deps.effects.now() + putOffDelayMs(endsInARow(deps.ledger, turn.thread, 'interrupted'));
  await finishTurn(loop, kind, turn, { outcome, counts: false, isSeen: false, retryAt });
}

function resultOf({ state, reason, needsPerson }: Outcome, counts: boolean): TurnResult {
  const isCutShort =
    (reason === 'interrupted' && !counts) || reason === 'rate_limited' || needsPerson === true;
  return isCutShort ? 'interrupted' : state;
}

/** Records the end of a turn; `isFirst` is false when it had ended before. `also` joins the commit. */
function recordEnd(deps: TaskRoom, turn: TurnRecord, { outcome, also }: ReturnType<Ending['settle']>) {
  const { ledger, effects } = deps;
  const endedAt = effects.now();
  const wait = waitAfter(deps, turn, outcome);
  const isFirst = ledger.transaction(() => {
    if (!ledger.turns.end(turn.id, { ...outcome, until: wait?.until ?? null, endedAt })) return false;
    const before = ledger.limitWaits.get(turn.agent);
    if (wait !== null) ledger.limitWaits.put({ agent: turn.agent, ...wait });
    else if (before !== null && turn.startedAt >= before.since && didWork(outcome))
      ledger.limitWaits.clear(turn.agent);
    also?.(endedAt);
    return true;
  });
  return { outcome, endedAt, isFirst };
}

/** How long turns of the agent wait after this end; null where it met no limit. Writes nothing. */
function waitAfter({ ledger, effects }: TaskRoom, turn: TurnRecord, end: Outcome): LimitWait | null {
  const { reason, until, needsPerson, message } = end;
  if (needsPerson === true) return waitForPayment(message, effects.now());
  // A day's budget that has too little left for more is no limit of the agent's, and is over as one: at midnight.
  const tellsEnd = reason === 'budget' && until != null;
  if (reason !== 'rate_limited' && !tellsEnd) return null;
  const limited = { startedAt: turn.startedAt, endsAt: until ?? null };
  return waitAfterLimit(ledger.limitWaits.get(turn.agent), limited, effects.now());
}

/** An agent that was stopped from outside shows nothing of its limit. */
const didWork = ({ state, reason }: Outcome): boolean =>
  state === 'completed' || (state === 'failed' && !['interrupted', 'budget', 'not_started'].includes(reason));
