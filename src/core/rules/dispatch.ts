// The scheduler: which request starts next and when a running turn must be stopped. One plain state value and
// pure transitions; only the pulse holds the variable, and "what would it do if" is a table test (T12).
import type { ThreadId, TurnId } from '../ids.ts';
import type { TurnReason } from './turn.ts';

const ORIGINS = ['chat', 'task', 'chore'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface RunningTurn {
  turn: TurnId;
  origin: Origin;
  agent: string;
  deadline: number; // When it must end, ms on the monotonic clock.
  woundDown: boolean; // The deadline is that of a task already done.
  stallMs: number | null;
  lastOutput: number;
  outputBytes: number;
  stopping: TurnReason | null; // Set once a stop was ordered; it is ordered once.
}

export interface DispatchState {
  readonly running: ReadonlyMap<ThreadId, RunningTurn>;
  readonly limits: { total: number } & Record<Origin, number>;
  readonly agentLimits: Readonly<Record<string, number>>;
  readonly maxOutputBytes: number;
  readonly draining: boolean; // No new turns: the runtime is stopping.
}

export type DispatchEvent =
  | { type: 'started'; thread: ThreadId; turn: RunningTurn }
  | { type: 'output'; thread: ThreadId; bytes: number }
  | { type: 'ended'; thread: ThreadId }
  | { type: 'stop'; thread: ThreadId; reason: TurnReason }
  /** The task was seen done: its turn gets `graceMs` to end by itself. */
  | { type: 'wind_down'; thread: ThreadId; graceMs: number }
  /** Its agent has ended and its checks run: they have limits of their own, and a stop may be ordered anew. */
  | { type: 'checking'; thread: ThreadId }
  | { type: 'drain' }
  | ({ type: 'configured' } & Pick<DispatchState, 'limits' | 'agentLimits' | 'maxOutputBytes'>)
  | { type: 'tick' };

export type DispatchCommand = { type: 'stop'; thread: ThreadId; turn: TurnId; reason: TurnReason };
export type Capacity = { limit: number; fullOrigins: Origin[]; fullAgents: string[] };

export function initialDispatch(
  limits: DispatchState['limits'],
  agentLimits: Readonly<Record<string, number>>,
  maxOutputBytes: number,
): DispatchState {
  return { running: new Map(), limits, agentLimits, maxOutputBytes, draining: false };
}

/** The next state and what to do, at `now` on the monotonic clock (ms). */
export function dispatch(state: DispatchState, event: DispatchEvent, now: number) {
  switch (event.type) {
    case 'started':
      return same(withTurn(state, event.thread, event.turn));
    case 'ended': {
      const running = new Map(state.running);
      running.delete(event.thread);
      return same({ ...state, running });
    }
    case 'output':
      return overdue(changed(state, event.thread, { lastOutput: now, outputBytes: event.bytes }), now);
    case 'stop':
      return stop(state, event.thread, event.reason);
    case 'wind_down': {
      const deadline = Math.min(state.running.get(event.thread)?.deadline ?? 0, now + event.graceMs);
      return same(changed(state, event.thread, { deadline, woundDown: true }));
    }
    case 'checking': {
      const unlimited = { deadline: Number.POSITIVE_INFINITY, stallMs: null, outputBytes: 0 };
      return same(changed(state, event.thread, { ...unlimited, woundDown: false, stopping: null }));
    }
    case 'drain':
      return same({ ...state, draining: true });
    case 'configured': {
      const { limits, agentLimits, maxOutputBytes } = event;
      return same({ ...state, limits, agentLimits, maxOutputBytes });
    }
    case 'tick':
      return overdue(state, now);
  }
}

/** How many turns may start, and which origins and agents are at their limit. */
export function capacityOf(state: DispatchState): Capacity {
  const turns = [...state.running.values()];
  const count = (by: (turn: RunningTurn) => boolean) => turns.filter(by).length;
  const free = state.draining ? 0 : Math.max(0, state.limits.total - turns.length);
  const fullOrigins = ORIGINS.filter(
    (origin) => count((turn) => turn.origin === origin) >= state.limits[origin],
  );
  const fullAgents = Object.entries(state.agentLimits)
    .filter(([agent, limit]) => count((turn) => turn.agent === agent) >= limit)
    .map(([agent]) => agent);
  return { limit: fullOrigins.length === ORIGINS.length ? 0 : free, fullOrigins, fullAgents };
}

/** When the next deadline or silence limit is reached, monotonic ms; null when nothing runs. */
export function nextCheckAt(state: DispatchState): number | null {
  let soonest: number | null = null;
  for (const turn of state.running.values()) {
    if (turn.stopping !== null) continue;
    const stallAt = turn.stallMs === null ? Number.POSITIVE_INFINITY : turn.lastOutput + turn.stallMs;
    const at = Math.min(turn.deadline, stallAt);
    if (at !== Number.POSITIVE_INFINITY && (soonest === null || at < soonest)) soonest = at;
  }
  return soonest;
}

function same(state: DispatchState): { state: DispatchState; commands: DispatchCommand[] } {
  return { state, commands: [] };
}

function withTurn(state: DispatchState, thread: ThreadId, turn: RunningTurn): DispatchState {
  return { ...state, running: new Map(state.running).set(thread, turn) };
}

/** The state with the thread's turn changed; the same state when no turn of the thread runs. */
function changed(state: DispatchState, thread: ThreadId, change: Partial<RunningTurn>): DispatchState {
  const turn = state.running.get(thread);
  return turn ? withTurn(state, thread, { ...turn, ...change }) : state;
}

function stop(state: DispatchState, thread: ThreadId, reason: TurnReason) {
  const turn = state.running.get(thread);
  if (!turn || turn.stopping !== null) return same(state);
  const command: DispatchCommand = { type: 'stop', thread, turn: turn.turn, reason };
  return { state: withTurn(state, thread, { ...turn, stopping: reason }), commands: [command] };
}

function overdue(state: DispatchState, now: number) {
  let next = state;
  const commands: DispatchCommand[] = [];
  for (const [thread, turn] of state.running) {
    const reason = overdueReason(turn, state.maxOutputBytes, now);
    if (reason === null) continue;
    const result = stop(next, thread, reason);
    next = result.state;
    commands.push(...result.commands);
  }
  return { state: next, commands };
}

function overdueReason(turn: RunningTurn, maxOutputBytes: number, now: number): TurnReason | null {
  if (turn.stopping !== null) return null;
  if (turn.outputBytes > maxOutputBytes) return 'output_limit';
  if (now >= turn.deadline) return turn.woundDown ? 'done' : 'timed_out';
  if (turn.stallMs !== null && now - turn.lastOutput >= turn.stallMs) return 'stalled';
  return null;
}

// Finds who takes the turns of an agent that has to wait: its `fallback`, then the fallback of that agent, and so on. Settings
// with a circle are refused when they are read; a circle that exists anyway ends the search.

interface FallbackFacts {
  /** Whether turns of the agent wait now: a usage limit, or a budget that is used up. */
  waits(agent: string): boolean;
  fallbackOf(agent: string): string | null; // Its `fallback`, where that is an agent that can run.
}

/** The agent that takes its turns: itself, its fallback agent, or null when they wait. */
export function takerOf(agent: string, { waits, fallbackOf }: FallbackFacts): string | null {
  const seen = new Set<string>();
  for (let next: string | null = agent; next !== null && !seen.has(next); next = fallbackOf(next)) {
    if (!waits(next)) return next;
    seen.add(next);
  }
  return null;
}
