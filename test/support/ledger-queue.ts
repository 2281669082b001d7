// The requests of a ledger as suites of queues call them.
import { endTurn } from '../../src/pulse/turn/turn-run.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';

export type Queue = ReturnType<typeof queueOf>;

export function queueOf(ledger: Ledger) {
  const { requests, turns } = ledger;
  return {
    ask: requests.add,
    next: requests.next,
    begin: turns.begin,
    end: (...given: Parameters<typeof endTurn> extends [unknown, ...infer Rest] ? Rest : never) =>
      endTurn(ledger, ...given),
    drop: requests.drop,
    countPending: requests.count,
  };
}
