// Which agents' turns wait now, for how long, and whose running turns are over a budget: looked at when something may begin or
// end a wait, and when its time has come.
import type { Wait } from '../../core/rules/waits.ts';
import { type AgentWaits, noteWaits, readAgentWaits } from '../../tasks/views/agent-waits.ts';
import type { Loop } from '../state/loop.ts';
import { LONGEST_WAIT_MS } from '../state/timers.ts';
import { readRunningBudgets } from '../turn/run/budgets.ts';

/** Who may not begin a turn: agents that wait while nobody stands in, and those whose stand-in has all the turns it may. */
export function barredAgents(waits: AgentWaits, fullAgents: readonly string[]) {
  const barred = { limitedAgents: [] as string[], spentAgents: [] as string[] };
  for (const [agent, { why }] of waits.agents) {
    const taker = waits.takerOf(agent);
    if (taker !== null && !fullAgents.includes(taker)) continue;
    barred[why === 'budget' ? 'spentAgents' : 'limitedAgents'].push(agent);
  }
  return { fullAgents, ...barred, onlyForced: waits.room !== null };
}

// Timers may be a little early.
const LEAST_WAIT_MS = 20;

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
