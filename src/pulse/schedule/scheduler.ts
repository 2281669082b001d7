// Starts the turns that were asked for, as many as may run, and takes up those that run already. A thread has one turn
// at a time.
import {
  choreOfThread,
  dreamOfThread,
  newTurnId,
  type ThreadId,
  TURN_LETTERS,
  type TurnKind,
} from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Wait } from '../../core/rules/stand-in.ts';
import type { Effects } from '../../effects.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { ClaimFilter, TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { AgentWaits } from '../../tasks/read/agent-waits.ts';
import type { Base, Feedback } from '../base.ts';
import type { Agents } from '../runnable-agents.ts';
import type { TurnSlot } from '../turn/turn-contract.ts';
import type { Turns } from '../turn/turns.ts';
import type { RunningTurns } from './running-turns.ts';

export interface SchedulerOptions extends Pick<Base, 'firstLook' | 'holdsRoom' | 'keep'> {
  requests: Pick<Ledger['requests'], 'next'>;
  effects: Effects;
  agents: Pick<Agents, 'turnKind' | 'patience'>;
  running: RunningTurns;
  turns: Pick<Turns, 'run' | 'adopt'>;
  /** Which agents' turns wait now. */
  agentWaits(): AgentWaits;
  /** Whether the thread's next turn may begin though its agent waits. */
  letsPass(request: TurnRequest): boolean;
  feedback: Pick<Feedback, 'turnOver'>;
}

export interface Scheduler {
  /** Starts what may start; what the ledger refuses now is tried again. */
  startTurns(): void;
  /** Whether something that is asked for waits for nothing but its turn. */
  canStart(): boolean;
  /** Turns were asked for: starts what may start, once the first look is over. */
  requested(): void;
  /** Takes up a turn that is on record as running. */
  adopt(turn: TurnRecord): void;
  /** Resolves when no turn runs. */
  settled(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { requests, effects, agents, running, turns, firstLook } = options;
  const { agentWaits, letsPass, holdsRoom, feedback, keep } = options;
  const waiting: (() => void)[] = [];
  let starting = false;

  const startTurns = keep(() => {
    // A turn may end at once and ask for the next: one loop does it all.
    if (starting) return;
    starting = true;
    try {
      while (startNext());
    } finally {
      starting = false;
    }
  });

  function startNext(): boolean {
    const { limit, fullOrigins, fullAgents } = running.capacity();
    if (limit === 0) return false;
    const waits = agentWaits();
    const busyThreads = [...running.turns().keys()];
    const asked = requests.next({ fullOrigins, busyThreads, ...barredAgents(waits, fullAgents) });
    if (asked === null || !holdsRoom()) return false;
    const request = { ...asked, agent: letsPass(asked) ? asked.agent : waits.takerOf(asked.agent)! };
    const kind = kindOf(request, agents);
    const id = asked.id?.[0] === TURN_LETTERS[kind] ? asked.id : newTurnId(kind, effects.randomBytes);
    const turn = newlyRunning({ ...request, id }, agents, effects);
    follow(request.thread, turn, (slot) => turns.run(request, turn, slot));
    return true;
  }

  function follow(thread: ThreadId, turn: RunningTurn, run: (slot: TurnSlot) => Promise<void>): void {
    const tellOver = keep(() => feedback.turnOver(thread));
    void run(running.add(thread, turn)).then(() => {
      running.remove(thread);
      tellOver();
      startTurns();
      if (running.count() === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  }

  return {
    startTurns,
    canStart: () =>
      requests.next({ fullOrigins: [], busyThreads: [], ...barredAgents(agentWaits(), []) }) !== null,
    requested() {
      if (firstLook.isOver) startTurns();
    },
    adopt(turn) {
      const ranMs = Math.max(0, effects.now() - turn.startedAt);
      const fresh = newlyRunning(turn, agents, effects);
      follow(turn.thread, { ...fresh, deadline: fresh.deadline - ranMs }, (slot) => turns.adopt(turn, slot));
    },
    settled: () =>
      running.count() === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}

/** Who may not begin a turn: agents that wait while nobody stands in, and those whose stand-in has all the turns it may. */
function barredAgents(
  waits: AgentWaits,
  fullAgents: readonly string[],
): Omit<ClaimFilter, 'fullOrigins' | 'busyThreads'> {
  const waiting = [...waits.agents].filter(([agent]) => {
    const taker = waits.takerOf(agent);
    return taker === null || fullAgents.includes(taker);
  });
  const whoWaits = (why: Wait['why']) =>
    waiting.filter(([, wait]) => wait.why === why).map(([agent]) => agent);
  return {
    fullAgents,
    limitedAgents: whoWaits('usage_limit'),
    spentAgents: whoWaits('budget'),
    onlyForced: waits.room !== null,
  };
}

function newlyRunning(
  { id, origin, agent }: Pick<TurnRecord, 'id' | 'origin' | 'agent'>,
  agents: Pick<Agents, 'patience'>,
  effects: Effects,
): RunningTurn {
  const now = effects.monotonicMs();
  const { timeoutMs, stallMs } = agents.patience(agent);
  return {
    turn: id,
    origin,
    agent,
    deadline: now + timeoutMs,
    woundDown: false,
    stallMs,
    lastOutput: now,
    outputBytes: 0,
    stopping: null,
  };
}

function kindOf({ thread, agent }: TurnRequest, agents: Pick<Agents, 'turnKind'>): TurnKind {
  if (dreamOfThread(thread) !== null) return 'dream';
  return choreOfThread(thread) === null ? agents.turnKind(agent) : 'chore';
}
