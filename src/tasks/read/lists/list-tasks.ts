// Lists of tasks: what files say, with what the ledger knows of turns, filtered and in a stable order.
import { type TaskId, type TurnId, taskOfThread, threadOfTask } from '../../../core/ids.ts';
import { type ListedTask, rankOf } from '../../../core/task/listed-line.ts';
import { compareNames } from '../../../core/task/natural-order.ts';
import { isFinished } from '../../../core/task/status.ts';
import { artifactNameOf } from '../../../core/task/task-name.ts';
import type { TurnRequest } from '../../../store/ledger/turns/requests.ts';
import { type AgentProblemOf, readAgentProblems } from '../../agent-problems.ts';
import type { ListFilter, TaskList, TaskView } from '../../contract/operations.ts';
import { candidates } from '../../find/candidates.ts';
import { isWaiting, type Snapshot, takeSnapshot } from '../../observe/snapshot.ts';
import { chooseByWord, idOfRef, namesOfTask, throughIssue } from '../../references.ts';
import type { RoomHandle } from '../../room-handle.ts';
import { notedWaits, readAgentWaits } from '../agent-waits.ts';
import { readObstacles } from '../obstacles.ts';
import { sortedBy } from './list-order.ts';

/** What the ledger knows of turns of tasks now: one query each, however many tasks there are. */
export interface TurnFacts {
  running: ReadonlyMap<TaskId, TurnId>;
  pending: ReadonlySet<TaskId>;
  /** Until when those wait whose agent does, epoch ms. */
  parked: ReadonlyMap<TaskId, number>;
  /** Their last turn wrote nothing. */
  silent: ReadonlySet<TaskId>;
  waiting: ReadonlyMap<TaskId, { held: boolean; retryAt: number | null; finishedAt: number | null }>;
}

const EVERY = 1_000_000;

/** The tasks that fit every given part of the filter. @throws RoomError `room_gone`, `io` */
export async function listTasks(handle: RoomHandle, filter: ListFilter = {}): Promise<TaskList> {
  const { problemOf, ...found } = await findTasks(handle, filter);
  return { ...found, whyNot: readObstacles(handle, found.tasks, problemOf) };
}

/** The same without what stands in the way of each. @param pace waited for between the steps that take their time */
export async function findTasks(handle: RoomHandle, filter: ListFilter, pace = async () => {}) {
  const snapshot = await takeSnapshot(handle);
  await pace();
  const facts = readTurnFacts(handle);
  const problemOf = await readAgentProblems(handle);
  const fits = filterOf(handle, filter, snapshot, problemOf);
  const { said, archived } = await searchText(handle, filter.text ?? '');
  const { firstSeen } = handle.deps.ledger.tasks;
  const ordered = inOrder(snapshot.tasks.filter(said), rankOf, firstSeen);
  await pace();
  const views = ordered.map((task) => toView(task, snapshot, facts));
  const all = [...views, ...archived.map((task) => archivedView(handle, task, snapshot))];
  const fitting = fits === null ? all : all.filter(fits);
  const sorted = filter.sort === undefined ? fitting : sortedBy(filter.sort, fitting);
  const tasks = sorted.slice(0, filter.limit);
  const { invalid, odd } = snapshot;
  return { tasks, invalid, odd, problemOf };
}

interface TextSearch {
  said(task: ListedTask): boolean;
  archived: ListedTask[];
}

// Loaded where a text is searched: it brings the parsers, and most lists need none.
async function searchText({ deps }: RoomHandle, text: string): Promise<TextSearch> {
  if (text.trim() === '') return { said: () => true, archived: [] };
  const { archivedTasks, saysAll, wordsOf } = await import('../text-search.ts');
  const words = wordsOf(text);
  const said = (task: ListedTask) => saysAll(deps, task, words);
  return { said, archived: archivedTasks(deps).filter(said) };
}

function archivedView(handle: RoomHandle, task: ListedTask, snapshot: Snapshot): TaskView {
  return { ...toView(task, snapshot, readTurnFactsOf(handle, task.id)), archived: true };
}

export function readTurnFacts(handle: RoomHandle): TurnFacts {
  return { ...readTurnsNow(handle), waiting: handle.deps.ledger.tasks.waiting() };
}

/** The part of it that costs nothing for tasks that rest. */
export function readTurnsNow(handle: RoomHandle): Omit<TurnFacts, 'waiting'> {
  const { turns, requests } = handle.deps.ledger;
  const pairs = turns.running().flatMap(({ thread, id }) => {
    const task = taskOfThread(thread);
    return task === null ? [] : [[task, id] as const];
  });
  const asked = requests.list(EVERY);
  return {
    running: new Map(pairs),
    pending: new Set(asked.flatMap(({ thread }) => taskOfThread(thread) ?? [])),
    parked: parkedAmong(handle, asked),
    silent: new Set(turns.wroteNothing().flatMap((thread) => taskOfThread(thread) ?? [])),
  };
}

function parkedAmong(handle: RoomHandle, asked: readonly TurnRequest[]): Map<TaskId, number> {
  const parked = new Map<TaskId, number>();
  if (asked.length === 0) return parked;
  const { limitWaits } = handle.deps.ledger;
  const waitsUntil = readWaitTimes(handle);
  for (const { thread, agent, forced } of asked) {
    const task = taskOfThread(thread);
    const until = task === null || forced || limitWaits.passes(thread) ? null : waitsUntil(agent);
    if (until !== null) parked.set(task!, until);
  }
  return parked;
}

/** Until when an agent's turns wait. What the daemon noted spares a list the settings. */
function readWaitTimes({ deps, ports }: RoomHandle): (agent: string) => number | null {
  const noted = ports.isGuest?.() ? notedWaits(deps) : null;
  if (noted !== null) return (agent) => noted.room ?? noted.agents[agent] ?? null;
  const waits = readAgentWaits(deps);
  return (agent) => waits.of(agent)?.until ?? null;
}

/** The same of one task. */
export function readTurnFactsOf(handle: RoomHandle, id: TaskId | null): TurnFacts {
  const { requests, turns, tasks } = handle.deps.ledger;
  const memory = id === null ? null : tasks.get(id);
  if (id === null || memory === null)
    return {
      running: new Map(),
      pending: new Set(),
      parked: new Map(),
      silent: new Set(),
      waiting: new Map(),
    };
  const running = turns.runningOn(threadOfTask(id));
  const newest = turns.list({ thread: threadOfTask(id), limit: 1 })[0];
  const request = requests.get(threadOfTask(id));
  return {
    running: new Map(running === null ? [] : [[id, running.id]]),
    pending: new Set(request === null ? [] : [id]),
    parked: parkedAmong(handle, request === null ? [] : [request]),
    silent: new Set(newest?.reason === 'nothing_written' ? [id] : []),
    waiting: new Map([[id, memory]]),
  };
}

export function toView(task: ListedTask, snapshot: Pick<Snapshot, 'statusOf'>, facts: TurnFacts): TaskView {
  const { id, status } = task;
  const waiting = id === null ? undefined : facts.waiting.get(id);
  const isOver = isFinished(status);
  return {
    ...task,
    blocked: isWaiting(snapshot, task),
    running: (id !== null && facts.running.get(id)) || null,
    pending: id !== null && facts.pending.has(id),
    held: waiting?.held ?? false,
    retryAt: waiting?.retryAt ?? null,
    parkedUntil: (id !== null && facts.parked.get(id)) || null,
    nothingWritten: !isOver && id !== null && facts.silent.has(id),
    finishedAt: isOver ? (waiting?.finishedAt ?? null) : null,
  };
}

export interface Ordered {
  id: TaskId | null;
  sort: number | null;
  created: string | null;
  path: string;
}

/**
 * `sort:` first, then priority, then the moment of creation: where a file does not say it, when it was first seen. Of the same
 * moment, and of those nobody saw, by name, T2 before T10.
 */
export function inOrder<T extends Ordered>(
  tasks: readonly T[],
  rank: (task: T) => number,
  firstSeen: () => ReadonlyMap<TaskId, string>,
): T[] {
  const seen = tasks.some(({ created }) => !created) ? firstSeen() : NOTHING_SEEN;
  const momentOf = ({ created, id }: Ordered) => created || (id !== null && seen.get(id)) || LAST;
  const byCreation = (a: Ordered, b: Ordered): number => {
    const [first, second] = [momentOf(a), momentOf(b)];
    if (first !== second) return first < second ? -1 : 1;
    return compareNames(a.path, b.path);
  };
  const [placed, others]: [T[], T[]] = [[], []];
  for (const task of tasks) (task.sort === null ? others : placed).push(task);
  placed.sort((a, b) => a.sort! - b.sort! || rank(a) - rank(b) || byCreation(a, b));
  others.sort((a, b) => rank(a) - rank(b) || byCreation(a, b));
  return [...placed, ...others];
}

// After every moment as ISO text.
const LAST = '~';
const NOTHING_SEEN: ReadonlyMap<TaskId, string> = new Map();

/** The words by which subtasks may name their parent. Throws as `chooseByWord`. */
function namesOfParent(handle: RoomHandle, word: string, snapshot: Snapshot): ReadonlySet<string> {
  const { ledger } = handle.deps;
  const { id, name } = chooseByWord(throughIssue(ledger, word), candidates(handle, snapshot));
  return new Set(namesOfTask(ledger, id as TaskId | null, name));
}

function filterOf(
  handle: RoomHandle,
  filter: ListFilter,
  snapshot: Snapshot,
  problemOf: AgentProblemOf,
): ((view: TaskView) => boolean) | null {
  if (Object.keys(filter).length === 0) return null;
  const { status, label, sprint, priority } = filter;
  const artifact = filter.artifact === undefined ? null : artifactNameOf(filter.artifact);
  const parents = filter.parent === undefined ? null : namesOfParent(handle, filter.parent, snapshot);
  // Settings are only read when the filter needs them.
  const defaultAgent = filter.owner !== undefined ? handle.deps.config().defaultAgent : '';
  const now = handle.deps.effects.now();
  const ownerOf = (view: TaskView) => view.owner ?? defaultAgent;
  const isReady = (view: TaskView): boolean => {
    if (view.running !== null) return true;
    const open =
      (view.status === 'todo' || view.status === 'doing') &&
      !view.paused &&
      !view.blocked &&
      !view.waiting &&
      !view.held;
    return open && view.parkedUntil === null && (view.retryAt ?? 0) <= now && problemOf(view.owner) === null;
  };
  return (view) => {
    if (status !== undefined && !status.includes(view.status)) return false;
    if (filter.owner !== undefined && ownerOf(view) !== filter.owner) return false;
    if (label !== undefined && !view.labels.includes(label)) return false;
    if (sprint !== undefined && view.sprint !== sprint) return false;
    if (artifact !== null && (view.artifact === null || artifactNameOf(view.artifact) !== artifact))
      return false;
    if (filter.scope !== undefined && view.scope !== filter.scope) return false;
    if (priority !== undefined && !priority.includes(view.priority ?? 'medium')) return false;
    if (parents !== null && (view.parent === null || !parents.has(idOfRef(view.parent)))) return false;
    return filter.ready !== true || isReady(view);
  };
}
