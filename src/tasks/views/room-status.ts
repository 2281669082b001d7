// How a room stands. Tasks are counted by the ledger, so that a hundred thousand files cost no more than a look at their stamps.
import { formatProblem } from '../../core/errors.ts';
import { type TaskId, type TurnId, taskOfThread } from '../../core/ids.ts';
import { spentJson } from '../../core/rules/budget.ts';
import { explainWhyNot } from '../../core/rules/why-not.ts';
import { titleBeside } from '../../core/task/names.ts';
import type { StandingTask, Status } from '../../core/task/status.ts';
import { countStandings, isWaitingForAnswer, STATUSES, standingOf } from '../../core/task/status.ts';
import type { InvalidFile } from '../../core/task/task.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { listNotices } from '../change/notices.ts';
import { type AgentProblemOf, readAgentProblems, readWithoutAgent, spentToday } from '../obstacles.ts';
import type { RoomStatus } from '../shapes/room.ts';
import type { RoomHandle, RoomStanding } from '../task-room.ts';
import { askedAndNotRunning, readWorkers, waitingAgents } from './agents.ts';
import { inboxOf, type News, readNews } from './inbox.ts';
import { listTurns } from './turn-list.ts';

const MANY = 1000;
const UNKNOWN: RoomStanding = { holder: null, problems: [], trouble: [] };

/** @throws RoomError `room_gone`, `io` */
export async function readStatus(deps: RoomHandle): Promise<RoomStatus> {
  const { ports } = deps;
  const { holder, problems, trouble } = ports.standing?.() ?? UNKNOWN;
  const news = await readNews(deps);
  const untold = { untold: true, limit: MANY };
  const { places, ...workers } = readWorkers(deps);
  const waiting = readWaiting(deps, await readAgentProblems(deps));
  const ofQueue = trouble.find(({ message }) => message.startsWith('the queue on PostgreSQL'));
  const queue = { answers: ofQueue === undefined, trouble: ofQueue?.message ?? null };
  return {
    room: deps.room.dir,
    daemon: holder && { ...holder, since: isoOrNull(holder.since) },
    ...countFiles(deps, news),
    running: (await listTurns(deps, { state: 'running', limit: MANY })).turns,
    ended: (await listTurns(deps, untold)).turns,
    notices: (await listNotices(deps, untold)).notices,
    ...waiting,
    next_retry: waiting.retries[0] ?? null,
    trouble,
    inbox: (await inboxOf(deps, news)).length,
    problems: problems.map((problem) => ({ ...problem, text: formatProblem(problem) })),
    ...(places === null ? {} : { ...workers, places, queue }),
  };
}

function countFiles(deps: RoomHandle, news: News): Pick<RoomStatus, 'counts' | 'standing' | 'invalid'> {
  const { tasks, turns, questions } = deps.ledger;
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  const standing = countStandings([]);
  const add = (task: StandingTask, number: number) => {
    counts[task.status] += number;
    standing[standingOf(task)] += number;
  };
  const atRest = { running: null, waiting: false };
  for (const { number, ...known } of tasks.counted()) add({ ...known, ...atRest }, number);
  const running = new Map<TaskId | null, TurnId>();
  for (const { thread, id } of turns.running()) running.set(taskOfThread(thread), id);
  const asking = new Set(questions.open().flatMap(({ task, answer }) => (answer === null ? task : [])));
  for (const id of new Set([...running.keys(), ...asking])) {
    const task = tasks.get(id ?? '');
    if (task === null || task.path === null || news.has(task.path)) continue;
    add({ ...task, ...atRest }, -1);
    add({ ...task, running: running.get(task.id) ?? null, waiting: asking.has(task.id) }, 1);
  }
  const invalid: InvalidFile[] = [];
  for (const [path, reading] of [...news].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = tasks.byPath(path);
    if (before !== null) add({ ...before, ...atRest }, -1);
    if (reading?.ok) {
      const { task } = reading;
      add({ ...task, running: running.get(task.id) ?? null, waiting: isWaitingForAnswer(task) }, 1);
    } else if (reading !== null) invalid.push(reading.invalid);
  }
  return { counts, standing, invalid };
}

function readWaiting(deps: RoomHandle, problemOf: AgentProblemOf) {
  const { tasks } = deps.ledger;
  const asked = askedAndNotRunning(deps);
  return {
    waiting: waitingAgents(deps, asked),
    today: spentJson(spentToday(deps).total),
    pending: asked.flatMap(({ thread }) => named(tasks.get(taskOfThread(thread) ?? ''))),
    held: tasks.held().flatMap(named),
    stuck: readWithoutAgent(deps, problemOf).flatMap(({ memory, problem: agentProblem }) => {
      const why_not = explainWhyNot('no_agent', { status: memory.status, agentProblem });
      return named(memory).map((task) => ({ ...task, why_not }));
    }),
    retries: tasks
      .retrying()
      .flatMap((memory) => named(memory).map((task) => ({ ...task, at: isoOrNull(memory.retryAt) }))),
  };
}

function named(memory: TaskMemory | null): { id: TaskId; name: string; title?: string; path: string }[] {
  if (memory === null || memory.path === null) return [];
  const { id, name, path } = memory;
  return [{ id, name, ...titleBeside(memory), path }];
}
