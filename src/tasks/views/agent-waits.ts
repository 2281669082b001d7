// Which agents' turns wait, why and until when: usage limits that the ledger remembers, and budgets of the day.
import { taskOfThread } from '../../core/ids.ts';
import { NOTHING_SPENT, reachedBound, type Spent, spentJson } from '../../core/rules/budget.ts';
import { takerOf } from '../../core/rules/dispatch.ts';
import { type Wait, waitsUntil } from '../../core/rules/waits.ts';
import { type Day, dayOf } from '../../core/time/day.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { RoomStatus } from '../shapes/room.ts';
import type { AgentJson } from '../shapes/task.ts';
import type { WorkersJson } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

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

// The agents of a room as every face shows them, and what their turns wait for: nothing of their environment or arguments, which may hold
// secrets. And the workers on other machines: who lives, what each has in hand, what is missing.

export function agentsOf(deps: TaskRoom): AgentJson[] {
  const { defaultAgent } = deps.config();
  const waiting = waitingAgents(deps);
  const spent = spentToday(deps);
  return [...deps.agents()].map(([id, agent]) => {
    const wait = waiting.find((each) => each.agent === id);
    const { name, runner, access, preset, model, limit, budget, fallback } = agent;
    return {
      ...{ id, name: name ?? id, runner, access, is_default: id === defaultAgent },
      ...{ waits_until: wait?.until ?? null, taken_by: wait?.taken_by ?? null },
      ...{ preset, model, limit, budget, fallback, today: spentJson(spent.of(id)) },
    };
  });
}

export function askedAndNotRunning({ ledger: { requests, turns } }: TaskRoom): TurnRequest[] {
  const running = new Set(turns.running().map(({ thread }) => thread));
  return requests.all().filter(({ thread }) => !running.has(thread));
}

/** The agents whose turns wait for a limit or a budget, and the room itself where it has one. */
export function waitingAgents(deps: TaskRoom, asked = askedAndNotRunning(deps)): RoomStatus['waiting'] {
  const waits = readAgentWaits(deps);
  const tasks = asked.filter(({ thread }) => taskOfThread(thread) !== null);
  const agents = [...waits.agents].map(([agent, wait]) => {
    const takenBy = waits.takerOf(agent);
    const waiting = takenBy === null ? tasks.filter((request) => request.agent === agent) : [];
    return waitJson(agent, wait, takenBy, waiting.length);
  });
  const room = waits.room && waitJson(null, waits.room, null, tasks.length);
  return room === null ? agents : [room, ...agents];
}

function waitJson(agent: string | null, { until, why, text }: Wait, taken_by: string | null, tasks: number) {
  return { agent, until: isoOrNull(until), why, text, taken_by, tasks };
}

/** Longer than a worker's request for news is held, and than between two notes of its last sight. */
export const LIVE_MS = 40_000;

/** Those that were seen within a day, by name. */
export function readWorkers({ ledger, effects, agents, config }: TaskRoom): WorkersJson {
  const out = ledger.dispatched.out();
  const rows = ledger.workers.all();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const workers = rows.map(({ token: _, goneAt, startedAt, seenAt, ...worker }) => ({
    ...worker,
    live: goneAt === null && effects.now() - seenAt < LIVE_MS,
    turns: out.filter(({ worker: id }) => id === worker.id).map(({ turn }) => turn as string),
    started_at: isoOrNull(startedAt),
    seen_at: isoOrNull(seenAt),
  }));
  if (config().queue.postgres === null) return { workers, places: null, unserved: [] };
  const served = new Set(
    workers.filter(({ live, trouble }) => live && trouble === null).flatMap(({ agents: own }) => own),
  );
  return {
    workers,
    places: Object.fromEntries(
      out.map(({ turn, worker }) => [turn, worker && (names.get(worker) ?? worker)]),
    ),
    unserved: [...agents().keys()].filter((agent) => !served.has(agent)),
  };
}
