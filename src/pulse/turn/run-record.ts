// What is on record of a turn's run: its beginning, and what its agent tells on its way to the end.

import type { Outcome, Runner, RunnerEvent } from '../../agents/runner.ts';
import { commandOf } from '../../core/config/agent-env.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { type Moment, pausedBetween } from '../../core/time/paused.ts';
import type { Effects } from '../../effects.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord, TurnStart } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { RunEnd } from './record-end.ts';

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
