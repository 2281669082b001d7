// What keeps a task from its next turn beside what its file says: its own budget is used up, its agent can't take it, or the turns of its
// agent wait, for a usage limit that the ledger remembers or a budget of the day.
import type { Budget } from '../core/config/values.ts';
import { type TaskId, threadOfTask } from '../core/ids.ts';
import { NOTHING_SPENT, reachedBound, type Spent } from '../core/rules/budget.ts';
import { takerOf } from '../core/rules/dispatch.ts';
import { type Wait, waitsUntil } from '../core/rules/waits.ts';
import { refusalOfNoAgent, refusalOfProse, runbooksOf } from '../core/rules/why-not.ts';
import { isFinished } from '../core/task/status.ts';
import { type Day, dayOf } from '../core/time/day.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';
import type { RoomHandle, TaskRoom } from './task-room.ts';

// The budget counts from the task's beginning, or from when it was last resumed.
type OfTask = Pick<TaskRoom, 'ledger' | 'effects' | 'config'>;

/** What its file says, as it was last observed, else what the room gives each task. */
export function taskBudgetOf({ ledger, config }: OfTask, id: TaskId): Budget | null {
  const path = ledger.tasks.get(id)?.path ?? null;
  const reading = path === null ? undefined : ledger.files.get(path)?.reading;
  return (reading?.ok ? reading.task.budget : null) ?? config().budgets.perTask;
}

/** What its turns used of it. */
export const taskSpending = ({ ledger, effects }: OfTask, id: TaskId): Spent =>
  ledger.spending.of(threadOfTask(id), effects.now());

/** The bound that is reached (`30 of 30 turns`), for its next turn or a running one; null while something is left. */
export function usedUpBudget(deps: OfTask, id: TaskId, of: 'next' | 'running'): string | null {
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

export type AgentWaits = ReturnType<typeof readAgentWaits>;
type Deps = Pick<TaskRoom, 'ledger' | 'effects' | 'config' | 'agents'>;

/** @param reserved agents of turns that start now and are not on record yet: budgets of turns count them */
export function readAgentWaits(deps: Deps, reserved: readonly string[] = []) {
  const { ledger, effects } = deps;
  const now = effects.now();
  const agents = new Map<string, Wait>();
  const spending = hasDayBudget(deps) ? spentToday(deps, reserved) : null;
  for (const { id, budget } of deps.agents().values()) {
    const bound = spending === null ? null : reachedBound(budget, spending.of(id), 'next');
    if (bound === null) continue;
    const text = `the budget of agent ${id} for today is used up (${bound})`;
    agents.set(id, { until: spending!.day.endMs, why: 'budget', text });
  }
  for (const wait of ledger.limitWaits.all()) {
    const until = waitsUntil(wait, now);
    if (until === null || (agents.get(wait.agent)?.until ?? 0) > until) continue;
    const text = wait.said === null ? 'is at its usage limit' : 'waits for its account';
    const { agent, said } = wait;
    agents.set(agent, { until, why: 'usage_limit', text: `agent ${agent} ${text}`, said });
  }
  const bound = spending === null ? null : reachedBound(deps.config().budgets.perDay, spending.total, 'next');
  const text = `the room's budget for today is used up (${bound})`;
  const room: Wait | null = bound === null ? null : { until: spending!.day.endMs, why: 'budget', text };
  const facts = { waits: (id: string) => agents.has(id), fallbackOf: (id: string) => fallbackOf(deps, id) };
  const takes = (agent: string) => (room === null ? takerOf(agent, facts) : null);
  return {
    agents: agents as ReadonlyMap<string, Wait>,
    /** What all turns wait for. */
    room,
    takerOf: takes, // Who takes an agent's turns: itself, an agent that stands in, or null when they wait.
    /** Why an agent's turns wait and nobody takes them; null when somebody does. */
    of: (agent: string) => room ?? (takes(agent) === null ? (agents.get(agent) ?? null) : null),
  };
}

const NOTED = 'agent_waits';

/** Until when turns wait that nobody takes, epoch ms, as a daemon notes it for commands that list. */
export type NotedWaits = { room: number | null; agents: Readonly<Record<string, number>> };

/** Notes the waits; nothing is written where they stand so already. */
export function noteWaits({ ledger }: Pick<Deps, 'ledger'>, waits: AgentWaits): void {
  const untaken = [...waits.agents].filter(([agent]) => waits.takerOf(agent) === null);
  const agents = Object.fromEntries(untaken.map(([agent, { until }]) => [agent, until]));
  const text = JSON.stringify({ room: waits.room?.until ?? null, agents } satisfies NotedWaits);
  if (ledger.meta.get(NOTED) !== text) ledger.meta.set(NOTED, text);
}

/** Null where no daemon ever noted them. */
export const notedWaits = ({ ledger }: Pick<Deps, 'ledger'>): NotedWaits | null =>
  JSON.parse(ledger.meta.get(NOTED) ?? 'null') as NotedWaits | null;

function fallbackOf({ agents }: Pick<Deps, 'agents'>, id: string): string | null {
  const fallback = agents().get(id)?.fallback ?? null;
  return fallback !== null && agents().has(fallback) ? fallback : null;
}

/** What turns that began today used. */
export type DaySpending = { day: Day; total: Spent; of(agent: string): Spent };

/** Null where no budget of a day is set: nothing is summed then. */
export const readDaySpending = (deps: Deps): DaySpending | null =>
  hasDayBudget(deps) ? spentToday(deps) : null;

/** Whether anything bounds what is used on a day. */
export const hasDayBudget = ({ agents, config }: Pick<Deps, 'agents' | 'config'>): boolean =>
  config().budgets.perDay !== null || [...agents().values()].some(({ budget }) => budget !== null);

/** What turns that began today used, whatever is bounded. */
export function spentToday({ ledger, effects, config }: Deps, reserved: readonly string[] = []): DaySpending {
  const now = effects.now();
  const day = dayOf(now, config().timezone);
  const agents = ledger.spending.since(day.startMs, now);
  for (const agent of reserved) agents.set(agent, add(agents.get(agent) ?? NOTHING_SPENT, ONE_TURN));
  const total = [...agents.values()].reduce(add, NOTHING_SPENT);
  return { day, total, of: (agent) => agents.get(agent) ?? NOTHING_SPENT };
}

const ONE_TURN: Spent = { ...NOTHING_SPENT, turns: 1 };

function add(a: Spent, b: Spent): Spent {
  const keys = Object.keys(NOTHING_SPENT) as (keyof Spent)[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Record<keyof Spent, number>;
}
