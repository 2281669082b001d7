// How many tasks of each status there are, and the few that a person waits for: counted by the ledger where it knows
// a file as it stands, so that a room of a hundred thousand files costs no more than a look at their stamps.
import { type TaskId, taskOfThread } from '../../core/ids.ts';
import { explainWhyNot } from '../../core/rules/why-not.ts';
import { isFinished, STATUSES, type Status } from '../../core/task/status.ts';
import type { InvalidFile } from '../../core/task/task.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import { type AgentProblemOf, readAgentProblems } from '../agent-problems.ts';
import type { NamedTask, Overview, WaitingAgent } from '../contract/operations.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRoom } from '../task-room.ts';
import { readAgentWaits, spentToday } from './agent-waits.ts';
import { inboxOf, type News } from './inbox.ts';
import { readNews } from './news.ts';

const EVERY = 1_000_000;

/** @throws RoomError `room_gone`, `io` */
export async function readOverview(handle: RoomHandle): Promise<Overview> {
  const news = await readNews(handle);
  const { counts, invalid } = countFiles(handle, news);
  const inbox = (await inboxOf(handle, news)).length;
  return { counts, invalid, inbox, ...readWaiting(handle, await readAgentProblems(handle)) };
}

function countFiles({ deps }: RoomHandle, news: News): Pick<Overview, 'counts' | 'invalid'> {
  const { tasks } = deps.ledger;
  const known = tasks.countByStatus();
  const counts = Object.fromEntries(STATUSES.map((status) => [status, known.get(status) ?? 0]));
  const invalid: InvalidFile[] = [];
  for (const [path, reading] of [...news].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = tasks.byPath(path)?.status;
    if (before !== undefined) counts[before]! -= 1;
    if (reading?.ok) counts[reading.task.status]! += 1;
    else if (reading !== null) invalid.push(reading.invalid);
  }
  return { counts: counts as Record<Status, number>, invalid };
}

function readWaiting(
  handle: RoomHandle,
  problemOf: AgentProblemOf,
): Omit<Overview, 'counts' | 'invalid' | 'inbox'> {
  const { tasks } = handle.deps.ledger;
  const asked = askedAndNotRunning(handle.deps);
  return {
    waiting: waitingAgents(handle.deps, asked),
    today: spentToday(handle.deps).total,
    pending: asked.flatMap(({ thread }) => named(tasks.get(taskOfThread(thread) ?? ''))),
    held: tasks.held().flatMap(named),
    stuck: tasks.ownersOfOpen().flatMap((owner) => {
      const problem = problemOf(owner);
      return problem === null ? [] : tasks.candidatesOf(owner).flatMap((memory) => stuckFor(memory, problem));
    }),
    retries: tasks
      .retrying()
      .flatMap((memory) => named(memory).map((task) => ({ ...task, retryAt: memory.retryAt }))),
  };
}

function askedAndNotRunning({ ledger: { requests, turns } }: TaskRoom): TurnRequest[] {
  const running = new Set(turns.running().map(({ thread }) => thread));
  return requests.list(EVERY).filter(({ thread }) => !running.has(thread));
}

/** The agents whose turns wait for a limit or a budget, and the room itself where it has one. */
export function waitingAgents(deps: TaskRoom, asked = askedAndNotRunning(deps)): WaitingAgent[] {
  const waits = readAgentWaits(deps);
  const tasks = asked.filter(({ thread }) => taskOfThread(thread) !== null);
  const agents = [...waits.agents].map(([agent, wait]) => {
    const takenBy = waits.takerOf(agent);
    const waiting = takenBy === null ? tasks.filter((request) => request.agent === agent) : [];
    return { agent, ...wait, takenBy, tasks: waiting.length };
  });
  const room = waits.room && { agent: null, ...waits.room, takenBy: null, tasks: tasks.length };
  return room === null ? agents : [room, ...agents];
}

function stuckFor(memory: TaskMemory, agentProblem: string): Overview['stuck'] {
  const { status, paused, blocked, held } = memory;
  if (isFinished(status) || status === 'draft' || paused || blocked || held) return [];
  const facts = {
    status,
    blockers: [],
    circle: null,
    agentProblem,
    retryAt: null,
    wait: null,
    trouble: null,
  };
  return named(memory).map((task) => ({ ...task, whyNot: explainWhyNot('no_agent', facts) }));
}

function named(memory: TaskMemory | null): (NamedTask & { id: TaskId })[] {
  if (memory === null || memory.path === null) return [];
  const { id, name, path } = memory;
  return [{ id, name, path }];
}
