// The lowest stages of the loop: which request starts, what runs, and turns of every kind to their record.

import { readAgentWaits } from '../../tasks/read/agent-waits.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { createChoreTurnDriver } from '../chore/chore-turns.ts';
import { createDreamDriver } from '../dream/dream-turns.ts';
import { createDreams, type Dreams } from '../dream/dreams.ts';
import { createRunningTurns, type RunningTurns } from '../schedule/running-turns.ts';
import { createScheduler, type Scheduler } from '../schedule/scheduler.ts';
import { createWaitingAgents, type WaitingAgents } from '../schedule/waiting-agents.ts';
import { createTaskTurnDriver } from '../turn/task-turns.ts';
import { createTurns, type Turns } from '../turn/turns.ts';
import type { Base } from './loop-base.ts';

export interface TurnStages {
  scheduler: Scheduler;
  running: RunningTurns;
  turns: Turns;
  waiting: WaitingAgents;
  dreams: Dreams;
}

export function createTurnStages(base: Base): TurnStages {
  const { agents, known, firstLook, holdsRoom, feedback, onTrouble } = base;
  const { keep } = base.persistence;
  const { deps, tasks, bridges, withheldEnv, runChecks, workspaces, endProcesses } = base.dependencies;
  const running = createRunningTurns(deps.effects, agents.limits(), () => waiting.look());
  const isStopping = running.isDraining;
  const driving = { deps, agents, bridges, withheldEnv, isStopping, onTrouble };
  const task = createTaskTurnDriver({ ...driving, tasks, feedback, runChecks, workspaces });
  const chore = createChoreTurnDriver({ ...driving, known });
  const dream = createDreamDriver({ ...driving, feedback });
  const drivers = { task, chore, dream };
  const turns = createTurns({ deps, drivers, feedback, endProcesses, isStopping, onTrouble });
  const { effects } = deps;
  const scheduler = createScheduler({
    requests: deps.ledger.requests,
    effects,
    agents,
    running,
    turns,
    firstLook,
    agentWaits: () => readAgentWaits(deps, agentsOfStarting(deps, running)),
    letsPass: ({ thread, forced }) => forced || deps.ledger.limitWaits.passes(thread),
    holdsRoom,
    feedback,
    keep,
  });
  const waiting = createWaitingAgents({ deps, running, scheduler, keep, onTrouble });
  const dreams = createDreams({ deps, scheduler, idle: base.idle, onTrouble });
  return { scheduler, running, turns, waiting, dreams };
}

/** One for each turn that starts and is not on record yet: what a budget of turns has left is taken by it already. */
function agentsOfStarting({ ledger }: TaskRoom, running: Pick<RunningTurns, 'turns'>): string[] {
  return [...running.turns().values()]
    .filter(({ turn }) => ledger.turns.get(turn) === null)
    .map(({ agent }) => agent);
}
