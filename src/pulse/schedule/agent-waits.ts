// Agents and budgets that turns wait for, as time goes by: what begins or ends to wait is told, turns that run over a budget
// are stopped, and what may begin again is begun. Looks anew at each change, and at least once a minute while anything
// waits, so that no clock that is set can make it wait for longer.
import type { Wait } from '../../core/rules/stand-in.ts';
import { noteWaits, readAgentWaits } from '../../tasks/views/agent-waits.ts';
import type { Base } from '../base.ts';
import { readRunningBudgets } from '../budgets.ts';
import { LONGEST_WAIT_MS } from '../timers.ts';
import type { Scheduler } from './scheduler.ts';

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
