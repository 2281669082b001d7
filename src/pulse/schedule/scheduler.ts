// Starts the turns that were asked for, as many as may run, and takes up those that run already. A thread has one turn
// at a time.
import { choreOfThread, newTurnId, summaryOfThread, type ThreadId, TURN_LETTERS } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { readAgentWaits } from '../../tasks/views/agent-waits.ts';
import type { TurnSlot } from '../state/active-turns.ts';
import type { Loop } from '../state/loop.ts';
import type { Turns } from '../turn/turns.ts';
import { barredAgents } from './agent-waits.ts';

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
        const about = { ...request, id: turnIdOf(loop, request) };
        follow(about, 0, (running, slot) => turns.run(request, running, slot));
      }
    } finally {
      isStarting = false;
    }
  });

  /** Counts the turn as running until `run` has come to its end. @param ranMs how long it ran before */
  function follow(
    { id, thread, origin, agent }: Pick<TurnRecord, 'id' | 'thread' | 'origin' | 'agent'>,
    ranMs: number,
    run: (running: RunningTurn, slot: TurnSlot) => Promise<{ ran: boolean }>,
  ): void {
    const now = deps.effects.monotonicMs();
    const { timeoutMs, stallMs } = agents.patience(agent);
    const fresh = { woundDown: false, lastOutput: now, outputBytes: 0, stopping: null };
    const running = { turn: id, origin, agent, deadline: now + timeoutMs - ranMs, stallMs, ...fresh };
    let ran = true;
    const over = keep(() => turnOver(thread, ran));
    void run(running, { ...active.add(thread, running), spends }).then((result) => {
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
      follow(record, ranMs, (_running, slot) => turns.adopt(record, slot));
    },
    /** Resolves when no turn runs. */
    settled: (): Promise<void> =>
      active.running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}

/** Whether something that is asked for waits for nothing but its turn. */
export function canStart({ deps }: Loop): boolean {
  const barred = barredAgents(readAgentWaits(deps), []);
  return deps.ledger.requests.next({ fullOrigins: [], busyThreads: [], ...barred }) !== null;
}

/** The best request that may start now, with the agent that takes its turn; null for none. */
function nextRequest({ deps, active }: Loop): TurnRequest | null {
  const { requests, letPass, turns } = deps.ledger;
  const { limit, fullOrigins, fullAgents } = active.capacity();
  if (limit === 0) return null;
  // What a budget of turns has left is taken by each that starts and is not on record yet.
  const starting = [...active.running.values()].filter(({ turn }) => turns.get(turn) === null);
  const waits = readAgentWaits(
    deps,
    starting.map(({ agent }) => agent),
  );
  const barred = barredAgents(waits, fullAgents);
  const asked = requests.next({ fullOrigins, busyThreads: [...active.running.keys()], ...barred });
  if (asked === null) return null;
  const passes = asked.forced || letPass.has({ thread: asked.thread });
  return { ...asked, agent: passes ? asked.agent : waits.takerOf(asked.agent)! };
}

/** The id that the request was given, where it fits what runs the turn in the end. */
function turnIdOf({ agents, deps }: Loop, { id, thread, agent }: TurnRequest): RunningTurn['turn'] {
  const isSummary = summaryOfThread(thread) !== null;
  const kind = isSummary ? 'summary' : choreOfThread(thread) === null ? agents.turnKind(agent) : 'chore';
  return id?.[0] === TURN_LETTERS[kind] ? id : newTurnId(kind, deps.effects.randomBytes);
}
