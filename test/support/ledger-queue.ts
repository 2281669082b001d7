// The requests of a ledger as suites of queues call them.
import type { TurnId } from '../../src/core/ids.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { TurnEnd } from '../../src/store/ledger/turns/turns.ts';

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
