// Turns that are out at workers, as the host follows them: what a worker tells is handed to the turn's runner here, and a
// stop the other way. What must outlive the host stands in the ledger.
import type { TurnReason } from '../../core/rules/turn.ts';
import type { Outcome, RunInput, RunnerEvent } from '../../runners/runner.ts';
import type { RequestLine } from '../bridge/request-line.ts';
import { createRequestLine } from '../bridge/request-line.ts';

export interface Flight {
  readonly input: RunInput;
  /** Reports of one turn are applied one after the other. */
  readonly line: RequestLine;
  /** Who claimed it under this runtime and works on it; null where the ledger alone knows. */
  holder: { attempt: number; worker: string } | null;
  /** Why it is to stop; null while it may go on. */
  stop: TurnReason | null;
  /** What its runner tells next; an outcome is the last. */
  tell(event: RunnerEvent): void;
  end(outcome: Outcome): void;
  /** Resolves with the next, or with null once `signal` aborts. */
  next(signal: AbortSignal): Promise<RunnerEvent | { type: 'end'; outcome: Outcome } | null>;
}

export interface Flights {
  open(input: RunInput): Flight;
  get(turn: string): Flight | null;
  /** One that was opened for the turn since stays. */
  close(flight: Flight): void;
  all(): Flight[];
}

export function createFlights(): Flights {
  const flights = new Map<string, Flight>();
  return {
    open(input) {
      const flight = createFlight(input);
      flights.set(input.turn.id, flight);
      return flight;
    },
    get: (turn) => flights.get(turn) ?? null,
    close(flight) {
      const { id } = flight.input.turn;
      if (flights.get(id) === flight) flights.delete(id);
    },
    all: () => [...flights.values()],
  };
}

function createFlight(input: RunInput): Flight {
  const told: (RunnerEvent | { type: 'end'; outcome: Outcome })[] = [];
  let wake: (() => void) | null = null;
  const add = (event: (typeof told)[number]) => {
    told.push(event);
    wake?.();
  };
  const flight: Flight = {
    input,
    line: createRequestLine(),
    holder: null,
    stop: null,
    tell: add,
    end(outcome) {
      flight.holder = null;
      add({ type: 'end', outcome });
    },
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
  return flight;
}
