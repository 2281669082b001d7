// The requests of a ledger as suites of queues call them.
import type { TurnId } from '../../src/core/ids.ts';
import { endTurn } from '../../src/pulse/turn/turn-run.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { TurnEnd } from '../../src/store/ledger/turns/turns.ts';

export type Queue = ReturnType<typeof queueOf>;

export function queueOf(ledger: Ledger) {
  const { requests, turns } = ledger;
  return {
    ask: requests.add,
    next: requests.next,
    begin: turns.begin,
    end: (turn: TurnId, end: TurnEnd, also: () => void) => endTurn(ledger, turn, end, also),
    drop: requests.drop,
    countPending: requests.count,
  };
}
