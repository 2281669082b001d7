// Lists of tasks: what files say, with what the ledger knows of turns, filtered and in a stable order.
import { type TaskId, type TurnId, taskOfThread, threadOfTask } from '../../core/ids.ts';
import { type ListedTask, rankOf } from '../../core/task/listed-line.ts';
import { isFinished } from '../../core/task/status.ts';
import { isWaiting, type Snapshot, takeSnapshot } from '../observe/snapshot.ts';
import type { ListFilter, TaskList, TaskView } from '../operations.ts';
import type { RoomHandle } from '../room-handle.ts';

/** What the ledger knows of turns of tasks now: one query each, however many tasks there are. */
export interface TurnFacts {
  running: ReadonlyMap<TaskId, TurnId>;
  pending: ReadonlySet<TaskId>;
  waiting: ReadonlyMap<TaskId, { held: boolean; retryAt: number | null; finishedAt: number | null }>;
}

const EVERY = 1_000_000;

/** The tasks that fit every given part of the filter. @throws RoomError `room_gone`, `io` */
export async function listTasks(handle: RoomHandle, filter: ListFilter = {}): Promise<TaskList> {
  const snapshot = await takeSnapshot(handle);
  const facts = readTurnFacts(handle);
  const fits = filterOf(handle, filter);
  const views = inOrder(snapshot.tasks, rankOf).map((task) => toView(task, snapshot, facts));
  const { invalid, odd } = snapshot;
  return { tasks: fits === null ? views : views.filter(fits), invalid, odd };
}

export function readTurnFacts(handle: RoomHandle): TurnFacts {
  const { turns, tasks, requests } = handle.deps.ledger;
  const pairs = turns.running().flatMap(({ thread, id }) => {
    const task = taskOfThread(thread);
    return task === null ? [] : [[task, id] as const];
  });
  const pending = requests.list(EVERY).flatMap(({ thread }) => taskOfThread(thread) ?? []);
  return {
    running: new Map(pairs),
    pending: new Set(pending),
    waiting: tasks.waiting(),
  };
}

/** The same of one task. */
export function readTurnFactsOf(handle: RoomHandle, id: TaskId | null): TurnFacts {
  const { requests, turns, tasks } = handle.deps.ledger;
  const memory = id === null ? null : tasks.get(id);
  if (id === null || memory === null) return { running: new Map(), pending: new Set(), waiting: new Map() };
  const running = turns.runningOn(threadOfTask(id));
  const isPending = requests.get(threadOfTask(id)) !== null;
  return {
    running: new Map(running === null ? [] : [[id, running.id]]),
    pending: new Set(isPending ? [id] : []),
    waiting: new Map([[id, memory]]),
  };
}

export function toView(task: ListedTask, snapshot: Pick<Snapshot, 'statusOf'>, facts: TurnFacts): TaskView {
  const { id } = task;
  const waiting = id === null ? undefined : facts.waiting.get(id);
  return {
    id,
    name: task.name,
    title: task.title,
    path: task.path,
    status: task.status,
    paused: task.paused,
    blocked: isWaiting(snapshot, task),
    blockedBy: task.blockedBy,
    running: (id !== null && facts.running.get(id)) || null,
    pending: id !== null && facts.pending.has(id),
    held: waiting?.held ?? false,
    retryAt: waiting?.retryAt ?? null,
    owner: task.owner,
    requester: task.requester,
    priority: task.priority,
    labels: task.labels,
    sprint: task.sprint,
    parent: task.parent,
    due: task.due,
    finishedAt: isFinished(task.status) ? (waiting?.finishedAt ?? null) : null,
    activeForm: task.activeForm,
    steps: task.stepCount,
  };
}

/** `sort:` first, then priority, then path; they come in the order of their paths. */
export function inOrder<T extends { sort: number | null }>(
  tasks: readonly T[],
  rank: (task: T) => number,
): T[] {
  const placed: T[] = [];
  const byRank: T[][] = [[], [], []];
  for (const task of tasks) (task.sort === null ? byRank[rank(task)]! : placed).push(task);
  placed.sort((a, b) => a.sort! - b.sort! || rank(a) - rank(b));
  return placed.concat(...byRank);
}

function filterOf(handle: RoomHandle, filter: ListFilter): ((view: TaskView) => boolean) | null {
  if (Object.keys(filter).length === 0) return null;
  const { status, label, sprint } = filter;
  const words = (filter.text ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  // Settings are only read when the filter needs them.
  const defaultAgent = filter.ready || filter.owner !== undefined ? handle.deps.config().defaultAgent : '';
  const agents = filter.ready ? handle.deps.agents() : null;
  const now = handle.deps.effects.now();
  const ownerOf = (view: TaskView) => view.owner ?? defaultAgent;
  const isReady = (view: TaskView): boolean => {
    if (view.running !== null) return true;
    const open =
      (view.status === 'todo' || view.status === 'doing') && !view.paused && !view.blocked && !view.held;
    return open && (view.retryAt ?? 0) <= now && agents!.has(ownerOf(view));
  };
  return (view) => {
    if (status !== undefined && !status.includes(view.status)) return false;
    if (filter.owner !== undefined && ownerOf(view) !== filter.owner) return false;
    if (label !== undefined && !view.labels.includes(label)) return false;
    if (sprint !== undefined && view.sprint !== sprint) return false;
    if (words.length > 0) {
      const text = `${view.name}\n${view.title ?? ''}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) return false;
    }
    return agents === null || isReady(view);
  };
}
