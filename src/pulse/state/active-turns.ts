// The turns that run: holds the one dispatch state, watches deadlines, and stops what must stop. Knows threads and turns,
// no tasks and no files.
import { StopTurn } from '../../agents/runner.ts';
import type { ThreadId } from '../../core/ids.ts';
import {
  capacityOf,
  type DispatchEvent,
  type DispatchState,
  dispatch,
  initialDispatch,
  nextCheckAt,
  type RunningTurn,
} from '../../core/rules/dispatch.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import type { Effects, Timer } from '../../effects.ts';

export type TurnLimits = Pick<DispatchState, 'limits' | 'agentLimits' | 'maxOutputBytes'>;

/** What a turn reports while it runs, and the signals that stop it. */
export interface TurnSlot {
  readonly signal: AbortSignal;
  /** Total bytes of output so far. */
  output(bytes: number): void;
  /** The agent has ended, and the turn's checks are run: from now on this signal says when they must stop. */
  checking(): AbortSignal;
  /** It uses up its budgets, from now on or faster than before. */
  spends(): void;
}

export function createActiveTurns(
  effects: Pick<Effects, 'monotonicMs' | 'setTimer'>,
  { limits, agentLimits, maxOutputBytes }: TurnLimits,
) {
  let state = initialDispatch(limits, agentLimits, maxOutputBytes);
  const controllers = new Map<ThreadId, AbortController>();
  let timer: Timer | null = null;

  /** Takes the event in, stops the turns that must stop, and waits for the next deadline. */
  function send(event: DispatchEvent): void {
    const result = dispatch(state, event, effects.monotonicMs());
    state = result.state;
    for (const { thread, reason } of result.commands) {
      const bytes = reason === 'output_limit' ? state.maxOutputBytes : null;
      controllers.get(thread)?.abort(new StopTurn(reason, bytes));
    }
    timer?.cancel();
    const at = nextCheckAt(state);
    if (at === null) return;
    const delayMs = Math.min(Math.max(at - effects.monotonicMs(), 1), 2 ** 31 - 1);
    timer = effects.setTimer(delayMs, () => send({ type: 'tick' }), true);
  }

  /** Returns the signal that stops the thread's turn from now on. */
  function begin(thread: ThreadId, event: DispatchEvent): AbortSignal {
    const controller = new AbortController();
    controllers.set(thread, controller);
    send(event);
    return controller.signal;
  }

  return {
    /** Counts a turn as running, until it is removed. */
    add: (thread: ThreadId, turn: RunningTurn): Omit<TurnSlot, 'spends'> => ({
      signal: begin(thread, { type: 'started', thread, turn }),
      output: (bytes) => send({ type: 'output', thread, bytes }),
      checking: () => begin(thread, { type: 'checking', thread }),
    }),
    remove(thread: ThreadId): void {
      controllers.delete(thread);
      send({ type: 'ended', thread });
    },
    stop: (thread: ThreadId, reason: TurnReason): void => send({ type: 'stop', thread, reason }),
    stopAll(reason: TurnReason): void {
      for (const thread of state.running.keys()) send({ type: 'stop', thread, reason });
    },
    /** Gives the turn this long to end by itself. */
    windDown: (thread: ThreadId, graceMs: number): void => send({ type: 'wind_down', thread, graceMs }),
    configure: (next: TurnLimits): void => send({ type: 'configured', ...next }),
    drain: (): void => send({ type: 'drain' }),
    isDraining: (): boolean => state.draining,
    get running(): ReadonlyMap<ThreadId, RunningTurn> {
      return state.running;
    },
    capacity: () => capacityOf(state),
  };
}
