// Turns that are out at workers, as the host follows them: what a worker tells is handed to the turn's runner here, and a
// stop the other way. What must outlive the host stands in the ledger.
import { createSerialQueue, type SerialQueue } from '../../core/keyed-mutex.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import type { Outcome, RunInput, RunnerEvent } from '../../runners/runner.ts';

export interface RemoteTurn {
  readonly input: RunInput;
  /** Reports of one turn are applied one after the other. */
  readonly line: SerialQueue;
  /** Why it is to stop; null while it may go on. */
  stop: TurnReason | null;
  /** What its runner tells next; an outcome is the last. */
  tell(event: RunnerEvent): void;
  end(outcome: Outcome): void;
  /** Resolves with the next, or with null once `signal` aborts. */
  next(signal: AbortSignal): Promise<RunnerEvent | { type: 'end'; outcome: Outcome } | null>;
}

export type RemoteTurns = ReturnType<typeof createRemoteTurns>;

export function createRemoteTurns() {
  const remoteTurns = new Map<string, RemoteTurn>();
  return {
    open(input: RunInput) {
      const remote = createRemoteTurn(input);
      remoteTurns.set(input.turn.id, remote);
      return remote;
    },
    get: (turn: string) => remoteTurns.get(turn) ?? null,
    /** One that was opened for the turn since stays. */
    close(remote: RemoteTurn) {
      const { id } = remote.input.turn;
      if (remoteTurns.get(id) === remote) remoteTurns.delete(id);
    },
  };
}

function createRemoteTurn(input: RunInput): RemoteTurn {
  const told: (RunnerEvent | { type: 'end'; outcome: Outcome })[] = [];
  let wake: (() => void) | null = null;
  const add = (event: (typeof told)[number]) => {
    told.push(event);
    wake?.();
  };
  return {
    input,
    line: createSerialQueue(),
    stop: null,
    tell: add,
    end: (outcome) => add({ type: 'end', outcome }),
    async next(signal) {
      if (told.length === 0 && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      wake = null;
      return told.shift() ?? null;
    },
  };
}
