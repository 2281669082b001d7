// Turns in a ledger as tests end them, and its requests as suites of queues call them.
import type { ThreadId, TurnId } from '../../src/core/ids.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { TurnEnd, TurnStart } from '../../src/store/ledger/turns/turns.ts';

/** How a turn ends that did all that it should. */
export const ENDED_WELL = {
  state: 'completed',
  reason: 'ok',
  exitCode: 0,
  signal: null,
  message: '',
} as const;

const ASKED = { origin: 'task', agent: 'runbook', reasons: ['run'], askedAt: 0, outside: true } as const;
const BEGUN = { runner: 'runbook', attempt: 1, revision: 'r', description: '', startedAt: 0 } as const;

/** Asks for a turn and begins it. */
export function beginTurn(
  { requests, turns }: Ledger,
  { id, thread, ...more }: { id: string; thread: string } & Partial<Omit<TurnStart, 'id' | 'thread'>>,
): TurnId {
  const { reasons, ...asked } = { ...ASKED, thread: thread as ThreadId, ...more };
  const start = { ...asked, ...BEGUN, ...more, reasons: [...reasons], id: id as TurnId };
  requests.add({ ...start, priority: 1, forced: false });
  turns.begin(start);
  return start.id;
}

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
