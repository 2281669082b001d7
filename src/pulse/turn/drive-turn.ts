// Drives one turn from its request to its end on record: prepare, run, finish. Every step is durable before the next, so that a
// crash anywhere can be recovered. Tasks, chores and summaries are kinds of turns.
import { RoomError } from '../../core/errors.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { TurnSlot } from '../state/active-turns.ts';
import type { Loop } from '../state/loop.ts';
import { finishDurably, finishRefused, finishTurn, recordDurably } from './finish/finish-turn.ts';
import { type GivenRun, openBridge, runTurn } from './run/run-turn.ts';
import { readTurnContext, writeTurnFolder } from './turn-folder.ts';
import { type AnyContext, interrupted, subjectOf, type TurnKind, type TurnResult } from './turn-kind.ts';

export interface Driver {
  /** Runs the turn of a request, or finds that it need not run. */
  drive(request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<TurnResult>;
  /**
   * Takes up a turn on record as running: follows its process, or reads how that ended.
   * @param lived whether it began under this runtime
   */
  adopt(turn: TurnRecord, slot: TurnSlot, lived: boolean): Promise<TurnResult>;
  /**
   * Records that a turn was lost with its runtime; what asked for it asks again.
   * @param fault the runtime lived, and a fault of its own lost the end: a failed attempt
   */
  interrupt(turn: TurnRecord, fault?: string): Promise<TurnResult>;
}

export function createDriver<Context extends AnyContext, Subject>(
  loop: Loop,
  kind: TurnKind<Context, Subject>,
): Driver {
  const { deps } = loop;

  async function drive(request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<TurnResult> {
    const ready = await kind.look(loop, request);
    if (ready === null) deps.ledger.requests.delete(request.thread);
    const turn = ready && (await deps.ledger.together(() => kind.begin(loop, ready, request, running.turn)));
    if (ready === null || turn === null) return 'skipped';
    tellStart(loop, turn, false);
    try {
      const laid = await kind.layOut(loop, ready, turn, slot);
      if ('outcome' in laid) return await finishDurably(loop, kind, turn, laid);
      writeTurnFolder(deps.room, turn.id, laid.context, laid.prompt);
      const bridge = await openBridge(loop, turn, ready.runner, laid.record?.());
      const { runner } = ready;
      return runToEnd(loop, kind, { turn, runner, bridge, slot, ...laid, adopt: false, lived: true });
    } catch (error) {
      if (!(error instanceof RoomError)) throw error;
      await finishRefused(loop, kind, turn, error);
      return 'skipped';
    }
  }

  async function adopt(turn: TurnRecord, slot: TurnSlot, lived: boolean): Promise<TurnResult> {
    const found = loop.agents.find(turn.agent);
    const context = readTurnContext<Context>(deps.room, turn.id);
    if (typeof found === 'string' || context === null) {
      if (!lived) return interrupt(turn);
      const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
      return finishDurably(loop, kind, turn, { outcome, counts: true, isSeen: true });
    }
    const bridge = await openBridge(loop, turn, found.runner);
    const agent = atWork(deps, kind.agentOf?.(loop, turn, found.agent) ?? found.agent, turn.thread);
    tellStart(loop, turn, true);
    const { runner } = found;
    const given = { turn, runner, bridge, slot, agent, context, prompt: '', adopt: true, lived };
    return runToEnd(loop, kind, given);
  }

  function interrupt(turn: TurnRecord, fault?: string): Promise<TurnResult> {
    const outcome = interrupted(fault ?? 'the runtime ended during the turn');
    return finishTurn(loop, kind, turn, { outcome, counts: fault !== undefined, isSeen: false });
  }

  return { drive, adopt, interrupt };
}

/** Runs the agent, and records its end; the bridge is closed whatever comes. */
async function runToEnd<Context extends AnyContext>(
  loop: Loop,
  kind: Pick<TurnKind<Context, never>, 'subject' | 'forgets' | 'leave' | 'end'>,
  given: GivenRun<Context>,
): Promise<TurnResult> {
  const { turn, bridge, agent, slot, context } = given;
  try {
    const end = await runTurn(loop, kind, given);
    // All that its agent reported comes before its end.
    await recordDurably(loop, () => bridge.drain());
    return await finishDurably(loop, kind, turn, end, { agent, slot, context });
  } finally {
    await bridge.close();
  }
}

function tellStart({ deps }: Loop, turn: TurnRecord, adopted: boolean): void {
  const { id, agent, attempt, reasons } = turn;
  const about = { agent, attempt, reasons, adopted };
  deps.events.emit({ type: 'turn.started', turn: id, ...about, ...subjectOf(deps, turn) });
}
