// Starts the turns that were asked for, as many as may run, and takes up those that run already. A thread has one turn at a time. Which
// agents' turns wait, for how long, and which running turns are over a budget is looked at when a wait may begin or end.
import type { Chores } from '../../chores/chores.ts';
import { choreOfThread, newTurnId, summaryOfThread, type ThreadId, TURN_LETTERS } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Wait } from '../../core/rules/waits.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { type AgentWaits, noteWaits, readAgentWaits } from '../../tasks/obstacles.ts';
import type { Loop, TurnSlot } from '../state/loop.ts';
import { LONGEST_WAIT_MS } from '../state/work.ts';
import { readRunningBudgets } from '../turn/run/budgets.ts';
import type { Turns } from '../turn/turns.ts';

export type Scheduler = ReturnType<typeof createScheduler>;

interface SchedulerOptions {
  turns: Pick<Turns, 'run' | 'adopt'>;
  spends(): void;
  /** A turn is over and its thread free again. @param ran false where its request led to no turn */
  turnOver(thread: ThreadId, ran: boolean): void;
}

export function createScheduler(loop: Loop, { turns, spends, turnOver }: SchedulerOptions) {
  const { deps, active, agents, keep } = loop;
  const waiting: (() => void)[] = [];
  let isStarting = false;

  const startTurns = keep(() => {
    // A turn may end at once and ask for the next: one loop does it all.
    if (isStarting || !loop.firstScan.isOver) return;
    isStarting = true;
    try {
      for (let next = nextRequest(loop); next !== null && loop.holdsRoom(); next = nextRequest(loop)) {
        const request = next;
        follow(request, 0, (slot) => turns.run(request, slot));
      }
    } finally {
      isStarting = false;
    }
  });

  /** Counts the turn as running until `run` has come to its end. @param ranMs how long it ran before */
  function follow(
    { id, thread, origin, agent }: Pick<TurnRecord, 'id' | 'thread' | 'origin' | 'agent'>,
    ranMs: number,
    run: (slot: TurnSlot) => Promise<{ ran: boolean }>,
  ): void {
    const now = deps.effects.monotonicMs();
    const { timeoutMs, stallMs } = agents.patience(agent);
    const fresh = { woundDown: false, lastOutput: now, outputBytes: 0, stopping: null };
    const running: RunningTurn = {
      turn: id,
      origin,
      agent,
      deadline: now + timeoutMs - ranMs,
      stallMs,
      ...fresh,
    };
    let ran = true;
    const over = keep(() => turnOver(thread, ran));
    void run({ ...active.add(thread, running), spends }).then((result) => {
      ran = result.ran;
      active.remove(thread);
      over();
      startTurns();
      if (active.running.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  }

  return {
    /** Starts what may start, once the first scan is over; what the ledger refuses now is tried again. */
    startTurns,
    /** Takes up a turn that is on record as running. */
    adopt(record: TurnRecord): void {
      const ranMs = Math.max(0, deps.effects.now() - record.startedAt);
      follow(record, ranMs, (slot) => turns.adopt(record, slot));
    },
    settled: (): Promise<void> =>
      active.running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}

/** From now on the room is idle while nothing is asked for or under way, and nothing comes back by itself before somebody does something. */
export function watchIdle({ deps, mode, active, isUnderWay, watchIdle }: Loop, chores: Chores): void {
  const { requests, tasks } = deps.ledger;
  watchIdle(() => {
    if (active.running.size > 0 || isUnderWay() || chores.isBusy()) return false;
    if (requests.count() > 0) {
      if (!mode.once) return false;
      // What waits for its agent is left for later where the loop ends by itself, as retries are.
      const barred = barredAgents(readAgentWaits(deps), []);
      if (requests.next({ fullOrigins: [], busyThreads: [], ...barred }) !== null) return false;
    }
    return mode.once || (tasks.nextRetryAt() === null && !chores.awaitsRetry());
  });
}

/** The best request that may start now, with the agent that takes its turn and the turn's id; null for none. */
function nextRequest({ deps, active, agents }: Loop) {
  const { requests, letPass, turns } = deps.ledger;
  const { limit, fullOrigins, fullAgents } = active.capacity();
  if (limit === 0) return null;
  // What a budget of turns has left is taken by each that starts and is not on record yet.
  const starting = [...active.running.values()].filter(({ turn }) => turns.get(turn) === null);
  const reserved = starting.map(({ agent }) => agent);
  const waits = readAgentWaits(deps, reserved);
  const barred = barredAgents(waits, fullAgents);
  const asked = requests.next({ fullOrigins, busyThreads: [...active.running.keys()], ...barred });
  if (asked === null) return null;
  const passes = asked.forced || letPass.has({ thread: asked.thread });
  const { thread } = asked;
  const agent = passes ? asked.agent : waits.takerOf(asked.agent)!;
  const isSummary = summaryOfThread(thread) !== null;
  const kind = isSummary ? 'summary' : choreOfThread(thread) === null ? agents.turnKind(agent) : 'chore';
  // The id that the request was given counts where it fits what runs the turn in the end.
  const isFit = asked.id?.[0] === TURN_LETTERS[kind];
  return { ...asked, agent, id: isFit ? asked.id! : newTurnId(kind, deps.effects.randomBytes) };
}

/** Who may not begin a turn: agents that wait while nobody stands in, and those whose stand-in has all the turns it may. */
function barredAgents(waits: AgentWaits, fullAgents: readonly string[]) {
  const barred = { limitedAgents: [] as string[], spentAgents: [] as string[] };
  for (const [agent, { why }] of waits.agents) {
    const taker = waits.takerOf(agent);
    if (taker !== null && !fullAgents.includes(taker)) continue;
    barred[why === 'budget' ? 'spentAgents' : 'limitedAgents'].push(agent);
  }
  return { fullAgents, ...barred, onlyForced: waits.room !== null };
}

const LEAST_WAIT_MS = 20; // Timers may be a little early.

/** @param startTurns called when waits ended */
export function createAgentWaits(loop: Loop, startTurns: () => void) {
  const { deps } = loop;
  /** By agent, null for all of them. */
  let known = new Map<string | null, Wait>();

  /** Something that may begin or end a wait has happened. Never throws. */
  const look = loop.keep(() => {
    const found = readAgentWaits(deps);
    noteWaits(deps, found);
    const waits = new Map<string | null, Wait>(found.agents);
    if (found.room !== null) waits.set(null, found.room);
    const ended = [...known.keys()].filter((agent) => !waits.has(agent));
    for (const [agent, wait] of waits) if (known.get(agent)?.until !== wait.until) tellWait(agent, wait);
    for (const agent of ended) deps.events.emit({ type: 'agent.ready', agent });
    known = waits;
    const { over, nextMs } = readRunningBudgets(deps);
    for (const { thread } of over) loop.active.stop(thread, 'budget');
    if (ended.length > 0) startTurns();
    const momentsMs = [...waits.values()].map(({ until }) => until - deps.effects.now()).concat(nextMs ?? []);
    if (momentsMs.length === 0) return;
    const delayMs = Math.min(Math.max(Math.min(...momentsMs), LEAST_WAIT_MS), LONGEST_WAIT_MS);
    loop.timers.set('agent waits', delayMs, look);
  });

  function tellWait(agent: string | null, { until, why, text }: Wait): void {
    const fallback = deps.agents().get(agent ?? '')?.fallback ?? null;
    deps.events.emit({ type: 'agent.waiting', agent, why, until, text, fallback });
  }

  return { look };
}
