// Starts the turns that were asked for, as many as may run, and takes up those that run already. A thread has one turn
// at a time.
import { choreOfThread, newTurnId, summaryOfThread, type ThreadId, TURN_LETTERS } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Wait } from '../../core/rules/waits.ts';
import type { ClaimFilter, TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { type AgentWaits, noteWaits, readAgentWaits } from '../../tasks/views/agent-waits.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import { readRunningBudgets } from '../budgets.ts';
import { LONGEST_WAIT_MS } from '../timers.ts';
import type { Turns } from '../turn/turns.ts';

export type Scheduler = ReturnType<typeof createScheduler>;

interface SchedulerOptions {
  turns: Pick<Turns, 'run' | 'adopt'>;
  spends(): void;
  /** A turn is over and its thread free again. @param ran false where its request led to no turn */
  turnOver(thread: ThreadId, ran: boolean): void;
}

export function createScheduler(base: Base, { turns, spends, turnOver }: SchedulerOptions) {
  const { deps, active, keep } = base;
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
    const request = nextRequest(base);
    if (request === null || !base.holdsRoom()) return false;
    const turn = newlyRunning(base, { ...request, id: turnIdOf(base, request) });
    follow(request.thread, turn, (slot) => turns.run(request, turn, slot));
    return true;
  }

  function follow(
    thread: ThreadId,
    turn: RunningTurn,
    run: (slot: TurnSlot) => Promise<{ ran: boolean }>,
  ): void {
    let ran = true;
    const tellOver = keep(() => turnOver(thread, ran));
    void run({ ...active.add(thread, turn), spends }).then((result) => {
      ran = result.ran;
      active.remove(thread);
      tellOver();
      startTurns();
      if (active.count() === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  }

  return {
    /** Starts what may start; what the ledger refuses now is tried again. */
    startTurns,
    /** Turns were asked for: starts what may start, once the first scan is over. */
    requested(): void {
      if (base.firstScan.isOver) startTurns();
    },
    /** Takes up a turn that is on record as running. */
    adopt(record: TurnRecord): void {
      const ranMs = Math.max(0, deps.effects.now() - record.startedAt);
      const fresh = newlyRunning(base, record);
      const turn = { ...fresh, deadline: fresh.deadline - ranMs };
      follow(record.thread, turn, (slot) => turns.adopt(record, slot));
    },
    settled: (): Promise<void> =>
      active.count() === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}

/** Whether something that is asked for waits for nothing but its turn. */
export function canStart({ deps }: Base): boolean {
  const barred = barredAgents(readAgentWaits(deps), []);
  return deps.ledger.requests.next({ fullOrigins: [], busyThreads: [], ...barred }) !== null;
}

/** The best request that may start now, with the agent that takes its turn; null for none. */
function nextRequest({ deps, active }: Base): TurnRequest | null {
  const { requests, letPass, turns } = deps.ledger;
  const { limit, fullOrigins, fullAgents } = active.capacity();
  if (limit === 0) return null;
  const running = active.turns();
  // What a budget of turns has left is taken by each that starts and is not on record yet.
  const starting = [...running.values()].filter(({ turn }) => turns.get(turn) === null);
  const waits = readAgentWaits(
    deps,
    starting.map(({ agent }) => agent),
  );
  const barred = barredAgents(waits, fullAgents);
  const asked = requests.next({ fullOrigins, busyThreads: [...running.keys()], ...barred });
  if (asked === null) return null;
  const passes = asked.forced || letPass.has({ thread: asked.thread });
  return { ...asked, agent: passes ? asked.agent : waits.takerOf(asked.agent)! };
}

/** The id that the request was given, where it fits what runs the turn in the end. */
function turnIdOf({ agents, deps }: Base, { id, thread, agent }: TurnRequest): RunningTurn['turn'] {
  const isSummary = summaryOfThread(thread) !== null;
  const kind = isSummary ? 'summary' : choreOfThread(thread) === null ? agents.turnKind(agent) : 'chore';
  return id?.[0] === TURN_LETTERS[kind] ? id : newTurnId(kind, deps.effects.randomBytes);
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
  { agents, deps }: Base,
  { id, origin, agent }: Pick<TurnRecord, 'id' | 'origin' | 'agent'>,
): RunningTurn {
  const now = deps.effects.monotonicMs();
  const { timeoutMs, stallMs } = agents.patience(agent);
  const fresh = { woundDown: false, lastOutput: now, outputBytes: 0, stopping: null };
  return { turn: id, origin, agent, deadline: now + timeoutMs, stallMs, ...fresh };
}

// Timers may be a little early.
const LEAST_WAIT_MS = 20;

export function createAgentWaits(base: Base, scheduler: Pick<Scheduler, 'requested'>) {
  const { deps } = base;
  /** By agent, null for all of them. */
  let told = new Map<string | null, Wait>();

  /** Something that may begin or end a wait has happened. Never throws. */
  const look = base.keep(() => {
    const found = readAgentWaits(deps);
    noteWaits(deps, found);
    const waits = new Map<string | null, Wait>(found.agents);
    if (found.room !== null) waits.set(null, found.room);
    const ended = [...told.keys()].filter((agent) => !waits.has(agent));
    for (const [agent, wait] of waits) if (told.get(agent)?.until !== wait.until) tellWait(agent, wait);
    for (const agent of ended) deps.events.emit({ type: 'agent.ready', agent });
    told = waits;
    const { over, nextMs } = readRunningBudgets(deps);
    for (const { thread } of over) base.active.stop(thread, 'budget');
    if (ended.length > 0) scheduler.requested();
    const momentsMs = [...waits.values()].map(({ until }) => until - deps.effects.now()).concat(nextMs ?? []);
    if (momentsMs.length === 0) return;
    const delayMs = Math.min(Math.max(Math.min(...momentsMs), LEAST_WAIT_MS), LONGEST_WAIT_MS);
    base.timers.set('agent waits', delayMs, look);
  });

  function tellWait(agent: string | null, { until, why, text }: Wait): void {
    const fallback = deps.agents().get(agent ?? '')?.fallback ?? null;
    deps.events.emit({ type: 'agent.waiting', agent, why, until, text, fallback });
  }

  return { look };
}
