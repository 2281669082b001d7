// Holds the one dispatch state: starts what may start, watches deadlines, stops what must stop. Knows threads and
// turns, no tasks and no files; what a turn is comes in as `launch`.

import type { ThreadId } from '../core/ids.ts';
import {
  capacityOf,
  type DispatchCommand,
  type DispatchEvent,
  type DispatchState,
  dispatch,
  initialDispatch,
  nextCheckAt,
  type RunningTurn,
} from '../core/rules/dispatch.ts';
import type { TurnReason } from '../core/rules/turn.ts';
import type { Effects, Timer } from '../effects.ts';
import type { TurnRequest } from '../store/ledger/requests.ts';
import type { Queue } from './queue.ts';

/** What a launched turn may tell and what may be asked of it. */
export interface TurnSlot {
  readonly signal: AbortSignal;
  /** Total bytes of output so far. */
  output(bytes: number): void;
}

export interface SchedulerOptions {
  queue: Queue;
  effects: Effects;
  limits: DispatchState['limits'];
  agentLimits: Readonly<Record<string, number>>;
  maxOutputBytes: number;
  /** Reserves an id and the times of a request's turn. */
  plan(request: TurnRequest): Pick<RunningTurn, 'turn' | 'stallMs'> & { timeoutMs: number };
  /** Runs the turn of a request (or finds that it need not run) and resolves when it is over. Never rejects. */
  launch(request: TurnRequest, turn: RunningTurn, slot: TurnSlot): Promise<void>;
  /** Makes the abort reason of a stop. */
  stopReason(reason: TurnReason): unknown;
  /** A turn is over and its thread free again; what it asks for now is started with the rest. */
  onEnded(thread: ThreadId): void;
}

export interface Scheduler {
  /** Starts what may start. */
  pump(): void;
  /** Runs a turn that is already on record (adopted after a restart). */
  adopt(thread: ThreadId, turn: RunningTurn, run: (slot: TurnSlot) => Promise<void>): void;
  stop(thread: ThreadId, reason: TurnReason): void;
  windDown(thread: ThreadId, graceMs: number): void;
  configure(
    limits: DispatchState['limits'],
    agentLimits: Readonly<Record<string, number>>,
    maxOutputBytes: number,
  ): void;
  isRunning(thread: ThreadId): boolean;
  runningCount(): number;
  /** No new turns from now on. */
  drain(): void;
  isDraining(): boolean;
  /** Orders every running turn to stop. */
  stopAll(reason: TurnReason): void;
  /** Resolves when no turn runs. */
  settled(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { queue, effects } = options;
  let state = initialDispatch(options.limits, options.agentLimits, options.maxOutputBytes);
  const controllers = new Map<ThreadId, AbortController>();
  const waiting: (() => void)[] = [];
  let timer: Timer | null = null;
  let pumping = false;

  function send(event: DispatchEvent): void {
    const result = dispatch(state, event, effects.monotonicMs());
    state = result.state;
    for (const command of result.commands) carryOut(command);
    arm();
  }

  function carryOut(command: DispatchCommand): void {
    controllers.get(command.thread)?.abort(options.stopReason(command.reason));
  }

  function arm(): void {
    timer?.cancel();
    timer = null;
    const at = nextCheckAt(state);
    if (at === null) return;
    const delayMs = Math.min(Math.max(at - effects.monotonicMs(), 1), 2 ** 31 - 1);
    timer = effects.setTimer(delayMs, () => send({ type: 'tick' }), true);
  }

  function occupy(thread: ThreadId, turn: RunningTurn, run: (slot: TurnSlot) => Promise<void>): void {
    const controller = new AbortController();
    controllers.set(thread, controller);
    send({ type: 'started', thread, turn });
    const slot: TurnSlot = {
      signal: controller.signal,
      output: (bytes) => send({ type: 'output', thread, bytes }),
    };
    void run(slot).finally(() => {
      controllers.delete(thread);
      send({ type: 'ended', thread });
      options.onEnded(thread);
      pump();
      if (state.running.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  }

  function pump(): void {
    // A launch may answer at once and ask for the next: one loop does it all.
    if (pumping) return;
    pumping = true;
    try {
      while (startNext());
    } finally {
      pumping = false;
    }
  }

  function startNext(): boolean {
    const capacity = capacityOf(state);
    if (capacity.limit === 0) return false;
    const { fullOrigins, fullAgents } = capacity;
    const request = queue.next({ fullOrigins, fullAgents, busyThreads: [...state.running.keys()] });
    if (request === null) return false;
    const { turn, stallMs, timeoutMs } = options.plan(request);
    const now = effects.monotonicMs();
    const running: RunningTurn = {
      turn,
      origin: request.origin,
      agent: request.agent,
      deadline: now + timeoutMs,
      woundDown: false,
      stallMs,
      lastOutput: now,
      outputBytes: 0,
      stopping: null,
    };
    occupy(request.thread, running, (slot) => options.launch(request, running, slot));
    return true;
  }

  return {
    pump,
    adopt: occupy,
    stop: (thread, reason) => send({ type: 'stop', thread, reason }),
    windDown: (thread, graceMs) => send({ type: 'wind_down', thread, graceMs }),
    configure: (limits, agentLimits, maxOutputBytes) =>
      send({ type: 'configured', limits, agentLimits, maxOutputBytes }),
    isRunning: (thread) => state.running.has(thread),
    runningCount: () => state.running.size,
    drain: () => send({ type: 'drain' }),
    isDraining: () => state.draining,
    stopAll(reason) {
      for (const thread of state.running.keys()) send({ type: 'stop', thread, reason });
    },
    settled: () =>
      state.running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}
