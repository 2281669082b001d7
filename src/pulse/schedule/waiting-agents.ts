// Agents and budgets that turns wait for, as time goes by: what begins or ends to wait is told, turns that run over a budget
// are stopped, and what may begin again is begun. Looks anew at each change, and at least once a minute while anything
// waits, so that no clock that is set can make it wait for longer.

import type { Wait } from '../../core/rules/stand-in.ts';
import { noteWaits, readAgentWaits } from '../../tasks/read/agent-waits.ts';
import { createAlarm, LONGEST_WAIT_MS } from '../alarm.ts';
import type { Base } from '../base.ts';
import { readRunningBudgets } from './running-budgets.ts';
import type { RunningTurns } from './running-turns.ts';
import type { Scheduler } from './scheduler.ts';

export interface WaitingAgentsOptions extends Pick<Base, 'deps' | 'keep' | 'onTrouble'> {
  running: Pick<RunningTurns, 'stop'>;
  scheduler: Pick<Scheduler, 'requested'>;
}

// Timers may be a little early.
const LEAST_WAIT_MS = 20;

export function createWaitingAgents({ deps, running, scheduler, keep, onTrouble }: WaitingAgentsOptions) {
  const alarm = createAlarm(deps.effects, onTrouble);
  /** By agent, null for all of them. */
  let told = new Map<string | null, Wait>();

  /** Something that may begin or end a wait has happened. Never throws. */
  const look = keep(() => {
    const found = readAgentWaits(deps);
    noteWaits(deps, found);
    const { agents, room } = found;
    const waits = new Map<string | null, Wait>(agents);
    if (room !== null) waits.set(null, room);
    const ended = [...told.keys()].filter((agent) => !waits.has(agent));
    for (const [agent, wait] of waits) if (told.get(agent)?.until !== wait.until) tellWait(agent, wait);
    for (const agent of ended) deps.events.emit({ type: 'agent.ready', agent });
    told = waits;
    const { over, nextMs } = readRunningBudgets(deps);
    for (const { thread } of over) running.stop(thread, 'budget');
    if (ended.length > 0) scheduler.requested();
    waitUntil([...waits.values()].map(({ until }) => until - deps.effects.now()).concat(nextMs ?? []));
  });

  function tellWait(agent: string | null, { until, why, text }: Wait): void {
    const fallback = deps.agents().get(agent ?? '')?.fallback ?? null;
    deps.events.emit({ type: 'agent.waiting', agent, why, until, text, fallback });
  }

  function waitUntil(momentsMs: readonly number[]): void {
    if (momentsMs.length === 0) return;
    alarm.set(Math.min(Math.max(Math.min(...momentsMs), LEAST_WAIT_MS), LONGEST_WAIT_MS), look);
  }

  return {
    look,
    close: alarm.close,
  };
}
