// Turns in a ledger as tests end them, and its requests as suites of queues call them.
import type { TurnId } from '../../src/core/ids.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { TurnEnd } from '../../src/store/ledger/turns/turns.ts';

/** How a turn ends that did all that it should. */
export const ENDED_WELL = {
  state: 'completed',
  reason: 'ok',
  exitCode: 0,
  signal: null,
  message: '',
} as const;

export type Queue = ReturnType<typeof queueOf>;

export function queueOf(ledger: Ledger) {
  const { requests, turns } = ledger;
  return {
    ask: requests.add,
    next: requests.next,
    begin: turns.begin,
    end: (turn: TurnId, end: TurnEnd, also: () => void): boolean =>
      ledger.transaction(() => {
        const isFirst = turns.end(turn, end);
        if (isFirst) also();
        return isFirst;
      }),
    drop: requests.delete,
    countPending: requests.count,
  };
}
