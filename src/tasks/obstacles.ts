// What keeps a task from its next turn beside what its file says: its own budget is used up, or its agent can't take it.

import type { Budget } from '../core/config/values.ts';
import { type TaskId, threadOfTask } from '../core/ids.ts';
import { reachedBound, type Spent } from '../core/rules/budget.ts';
import { refusalOfNoAgent, refusalOfProse, runbooksOf } from '../core/rules/why-not.ts';
import { isFinished } from '../core/task/status.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';
import type { RoomHandle, TaskRoom } from './task-room.ts';

// The budget counts from the task's beginning, or from when it was last resumed.
type Deps = Pick<TaskRoom, 'ledger' | 'effects' | 'config'>;

/** What its file says, as it was last observed, else what the room gives each task. */
export function taskBudgetOf({ ledger, config }: Deps, id: TaskId): Budget | null {
  const path = ledger.tasks.get(id)?.path ?? null;
  const reading = path === null ? undefined : ledger.files.get(path)?.reading;
  return (reading?.ok ? reading.task.budget : null) ?? config().budgets.perTask;
}

/** What its turns used of it. */
export const taskSpending = ({ ledger, effects }: Deps, id: TaskId): Spent =>
  ledger.spending.of(threadOfTask(id), effects.now());

/** The bound that is reached (`30 of 30 turns`), for its next turn or a running one; null while something is left. */
export function usedUpBudget(deps: Deps, id: TaskId, of: 'next' | 'running'): string | null {
  const budget = taskBudgetOf(deps, id);
  return budget === null ? null : reachedBound(budget, taskSpending(deps, id), of);
}

/** What keeps the agent that would take the turns of an owner from this task; null when nothing does. */
export type AgentProblemOf = (owner: string | null, task: TaskId | null) => string | null;

export async function readAgentProblems(deps: RoomHandle): Promise<AgentProblemOf> {
  const { defaultAgent, agents, runbooks } = (await deps.ports.agentFacts?.()) ?? {
    ...{ defaultAgent: deps.config().defaultAgent, runbooks: runbooksOf(deps.agents()) },
    agents: new Map([...deps.agents().keys()].map((id) => [id, null])),
  };
  let prose: ReadonlySet<TaskId> | null = null;
  return (owner, task) => {
    const agent = owner ?? defaultAgent;
    const known = agents.get(agent);
    if (known === null && task !== null && runbooks.includes(agent)) {
      prose ??= new Set(deps.ledger.tasks.notForRunbook());
      return prose.has(task) ? refusalOfProse(agent) : null;
    }
    return known === undefined ? refusalOfNoAgent(agent, agents.keys()) : known;
  };
}

export type WithoutAgent = { memory: TaskMemory; agent: string; problem: string };

/** Tasks that may be due and whose agent does not take them, paused and held ones left out. */
export function readWithoutAgent(deps: RoomHandle, problemOf: AgentProblemOf): WithoutAgent[] {
  const { tasks } = deps.ledger;
  return tasks.ownersOfOpen().flatMap((owner) => {
    const agent = owner ?? deps.config().defaultAgent;
    // An agent that can run takes every task, unless it is a runbook.
    if (problemOf(owner, null) === null && deps.agents().get(agent)?.runner !== 'runbook') return [];
    return tasks.candidatesOf(owner).flatMap((memory): WithoutAgent[] => {
      const { status, paused, blocked, held } = memory;
      const problem = problemOf(owner, memory.id);
      const isOut = isFinished(status) || status === 'draft' || paused || blocked || held;
      return problem === null || isOut ? [] : [{ memory, agent, problem }];
    });
  });
}
