// The turns that run: holds the one dispatch state, watches deadlines, and stops what must stop. Knows threads and turns,
// no tasks and no files.
import type { ThreadId } from '../../core/ids.ts';
import {
  type Capacity,
  capacityOf,
  type DispatchEvent,
  dispatch,
  initialDispatch,
  nextCheckAt,
  type RunningTurn,
} from '../../core/rules/dispatch.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import type { Effects, Timer } from '../../effects.ts';
import { StopTurn } from '../../runners/runner.ts';
import type { TurnLimits } from '../runnable-agents.ts';
import type { TurnSlot } from '../turn/turn-contract.ts';

export interface RunningTurns {
  /** Counts a turn as running, until it is removed. */
  add(thread: ThreadId, turn: RunningTurn): TurnSlot;
  remove(thread: ThreadId): void;
  stop(thread: ThreadId, reason: TurnReason): void;
  /** Orders every running turn to stop. */
  stopAll(reason: TurnReason): void;
  /** Gives the turn this long to end by itself. */
  windDown(thread: ThreadId, graceMs: number): void;
  configure(limits: TurnLimits): void;
  /** No new turns from now on. */
  drain(): void;
  isDraining(): boolean;
  has(thread: ThreadId): boolean;
  count(): number;
  turns(): ReadonlyMap<ThreadId, RunningTurn>;
  /** What may start now. */
  capacity(): Capacity;
}

export function createRunningTurns(
  effects: Pick<Effects, 'monotonicMs' | 'setTimer'>,
  { limits, agentLimits, maxOutputBytes }: TurnLimits,
  onSpending: () => void,
): RunningTurns {
  let state = initialDispatch(limits, agentLimits, maxOutputBytes);
  const controllers = new Map<ThreadId, AbortController>();
  let timer: Timer | null = null;

  function send(event: DispatchEvent): void {
    const result = dispatch(state, event, effects.monotonicMs());
    state = result.state;
    for (const { thread, reason } of result.commands) controllers.get(thread)?.abort(stopOf(reason, state));
    waitForNextCheck();
  }

  /** What can be stopped anew from now on. */
  function begin(thread: ThreadId, event: DispatchEvent): AbortSignal {
    const controller = new AbortController();
    controllers.set(thread, controller);
    send(event);
    return controller.signal;
  }

  function waitForNextCheck(): void {
    timer?.cancel();
    timer = null;
    const at = nextCheckAt(state);
    if (at === null) return;
    const delayMs = Math.min(Math.max(at - effects.monotonicMs(), 1), 2 ** 31 - 1);
    timer = effects.setTimer(delayMs, () => send({ type: 'tick' }), true);
  }

  return {
    add(thread, turn) {
      return {
        signal: begin(thread, { type: 'started', thread, turn }),
        output: (bytes) => send({ type: 'output', thread, bytes }),
        checking: () => begin(thread, { type: 'checking', thread }),
        spends: onSpending,
      };
    },
    remove(thread) {
      controllers.delete(thread);
      send({ type: 'ended', thread });
    },
    stop: (thread, reason) => send({ type: 'stop', thread, reason }),
    stopAll(reason) {
      for (const thread of state.running.keys()) send({ type: 'stop', thread, reason });
    },
    windDown: (thread, graceMs) => send({ type: 'wind_down', thread, graceMs }),
    configure: (next) => send({ type: 'configured', ...next }),
    drain: () => send({ type: 'drain' }),
    isDraining: () => state.draining,
    has: (thread) => state.running.has(thread),
    count: () => state.running.size,
    turns: () => state.running,
    capacity: () => capacityOf(state),
  };
}

function stopOf(reason: TurnReason, { maxOutputBytes }: { readonly maxOutputBytes: number }): StopTurn {
  return new StopTurn(reason, reason === 'output_limit' ? maxOutputBytes : null);
}
