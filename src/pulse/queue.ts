// The queue of requests behind an interface, so that turns can be handed out by the ledger in this process or,
// on several machines, by another store. Nothing else knows which is in use.
import type { ThreadId } from '../core/ids.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { ClaimFilter, TurnRequest } from '../store/ledger/turns/requests.ts';
import type { TurnEnd, TurnRecord, TurnStart } from '../store/ledger/turns/turns.ts';

export interface Queue {
  /** Adds a request, or coalesces into the pending one of its thread. Durable when it returns. */
  ask(request: TurnRequest): void;
  /** The best request that may start now; it stays pending until {@link Queue.begin}. */
  next(filter: ClaimFilter): TurnRequest | null;
  /** Takes the request away and records the running turn, in one durable step. False when the request is gone. */
  begin(turn: TurnStart): boolean;
  /** Records a turn's end once; false when it had ended before. `also` joins the same durable step. */
  end(turn: TurnRecord['id'], end: TurnEnd, also: () => void): boolean;
  drop(thread: ThreadId): boolean;
  countPending(): number;
}

/** The queue in the ledger, for one process: the default. */
export function createEmbeddedQueue(ledger: Ledger): Queue {
  const { requests, turns } = ledger;
  return {
    ask: (request) => requests.add(request),
    next: (filter) => requests.next(filter),
    begin: (turn) => turns.begin(turn),
    end: (id, end, also) =>
      ledger.transaction(() => {
        const first = turns.end(id, end);
        if (first) also();
        return first;
      }),
    drop: (thread) => requests.drop(thread),
    countPending: () => requests.count(),
  };
}
