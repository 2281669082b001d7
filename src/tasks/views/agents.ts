// The agents of a room as every face shows them, and what their turns wait for: nothing of their environment or arguments, which may hold
// secrets. And the workers on other machines: who lives, what each has in hand, what is missing.
import { taskOfThread } from '../../core/ids.ts';
import { spentJson } from '../../core/rules/budget.ts';
import type { Wait } from '../../core/rules/waits.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import { readAgentWaits, spentToday } from '../obstacles.ts';
import type { RoomStatus } from '../shapes/room.ts';
import type { AgentJson } from '../shapes/task.ts';
import type { WorkersJson } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

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
