// What a turn is to whoever starts it, whatever it is about: driven from its request to its record, or taken up again.
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';

/** What a turn tells while it runs, and what it is told. */
export interface TurnSlot {
  /** Aborts with the reason when the turn must stop. */
  readonly signal: AbortSignal;
  /** Total bytes of output so far. */
  output(bytes: number): void;
  /** The agent has ended, and the turn's checks are run: from now on this signal says when they must stop. */
  checking(): AbortSignal;
  /** It uses up its budgets, from now on or faster than before. */
  spends(): void;
}

/**
 * What became of a request or a turn: skipped when there was nothing to run any more, interrupted when it was cut short by
 * nothing it could help (the runtime's end, its agent's usage limit).
 */
export type TurnResult = 'skipped' | 'completed' | 'failed' | 'killed' | 'interrupted';

export interface TurnDriver {
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
