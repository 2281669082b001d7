// What the ledger knows of tasks beside what their files say: one query for each kind of fact, however many tasks there are.
import { type TaskId, taskOfThread, threadOfTask } from '../../core/ids.ts';
import type { ListedTask, ListRow } from '../../core/task/listed-task.ts';
import { isFinished } from '../../core/task/status.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import { notedWaits, readAgentWaits } from '../obstacles.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { RoomHandle } from '../task-room.ts';

export interface TaskFacts
  extends Pick<ListRow, 'running' | 'pending' | 'held' | 'retry_at' | 'parked_until'> {
  silent: boolean; // Its last turn wrote nothing.
}

export interface TurnFacts {
  of: ReadonlyMap<TaskId, TaskFacts>; // Those of which there is something to say.
  finished: ReadonlyMap<TaskId, number>; // When tasks were seen to be finished, epoch ms.
}

const AT_REST: TaskFacts = {
  ...{ running: null, pending: false, held: false, retry_at: null, parked_until: null },
  silent: false,
};

/** Of all tasks. @param finished what is known already; takes in what was finished since, which is returned as `ended` */
export function readTurnFacts(deps: RoomHandle, finished = new Map<TaskId, number>()) {
  const { tasks, turns, requests } = deps.ledger;
  const of = new Map<TaskId, TaskFacts>();
  const note = (id: TaskId | null, facts: Partial<TaskFacts>) => {
    if (id !== null) of.set(id, { ...(of.get(id) ?? AT_REST), ...facts });
  };
  for (const { thread, id } of turns.running()) note(taskOfThread(thread), { running: id });
  const asked = requests.all();
  const parkedUntil = asked.length === 0 ? null : waitsOf(deps);
  for (const request of asked)
    note(taskOfThread(request.thread), { pending: true, parked_until: parkedUntil!(request) });
  for (const thread of turns.wroteNothing()) note(taskOfThread(thread), { silent: true });
  const ended: TaskId[] = [];
  let newest = 0;
  for (const at of finished.values()) newest = Math.max(newest, at);
  for (const [id, { held, retryAt, finishedAt }] of tasks.waiting(newest)) {
    if (held || retryAt !== null) note(id, { held, retry_at: isoOrNull(retryAt) });
    if (finishedAt === null || finished.get(id) === finishedAt) continue;
    finished.set(id, finishedAt);
    ended.push(id);
  }
  return { of, finished, ended };
}

export function readTurnFactsOf(deps: RoomHandle, id: TaskId | null): TurnFacts {
  const { requests, turns, tasks } = deps.ledger;
  const memory = id === null ? null : tasks.get(id);
  if (id === null || memory === null) return { of: new Map(), finished: new Map() };
  const { held, retryAt, finishedAt } = memory;
  const thread = threadOfTask(id);
  const request = requests.get(thread);
  const facts: TaskFacts = {
    ...{ running: turns.runningOn(thread)?.id ?? null, pending: request !== null, held },
    retry_at: isoOrNull(retryAt),
    parked_until: request === null ? null : waitsOf(deps)(request),
    silent: turns.list({ thread, limit: 1 })[0]?.reason === 'nothing_written',
  };
  return { of: new Map([[id, facts]]), finished: new Map(finishedAt === null ? [] : [[id, finishedAt]]) };
}

/** Until when a request waits for its agent's usage limit or a budget. What the daemon noted spares a list the settings. */
function waitsOf(deps: RoomHandle): (request: TurnRequest) => string | null {
  const { ports } = deps;
  const noted = ports.isGuest?.() ? notedWaits(deps) : null;
  const waits = noted === null ? readAgentWaits(deps) : null;
  return ({ thread, agent, forced }) => {
    if (forced || deps.ledger.letPass.has({ thread: thread })) return null;
    return isoOrNull(noted?.room ?? noted?.agents[agent] ?? waits?.of(agent)?.until ?? null);
  };
}

/** Makes the row of a list of what the file says: adds to that very object. */
export function addFacts(task: ListedTask, { of, finished }: TurnFacts, blocked: boolean): TaskRow {
  const row = task as TaskRow;
  const { id, status } = row;
  const facts = (id !== null && of.get(id)) || AT_REST;
  const isOver = isFinished(status);
  row.blocked = blocked;
  row.running = facts.running;
  row.pending = facts.pending;
  row.held = facts.held;
  row.retry_at = facts.retry_at;
  row.parked_until = facts.parked_until;
  row.nothing_written = facts.silent && !isOver;
  row.why_not = null;
  row.finished_at = isOver && id !== null ? isoOrNull(finished.get(id) ?? null) : null;
  return row;
}
