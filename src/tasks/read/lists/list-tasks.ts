// Lists of tasks: what files say, with what the ledger knows of turns, filtered and in a stable order.
import { type TaskId, type TurnId, taskOfThread, threadOfTask } from '../../../core/ids.ts';
import { type ListedTask, rankOf, type TaskView } from '../../../core/task/listed-line.ts';
import { compareNames } from '../../../core/task/natural-order.ts';
import { isFinished } from '../../../core/task/status.ts';
import { FILTER_KEYS, type FilterKey, factsOf, propertyOf } from '../../../core/task/task-keys.ts';
import { artifactNameOf } from '../../../core/task/task-name.ts';
import type { TurnRequest } from '../../../store/ledger/turns/requests.ts';
import { type AgentProblemOf, readAgentProblems } from '../../agent-problems.ts';
import { candidates } from '../../find/candidates.ts';
import { isWaiting, type Snapshot, takeSnapshot } from '../../observe/snapshot.ts';
import { chooseByWord, idOfRef, namesOfTask, throughIssue } from '../../references.ts';
import type { RoomHandle } from '../../room-handle.ts';
import type { ListFilter } from '../../shapes/list.ts';
import { notedWaits, readAgentWaits } from '../agent-waits.ts';
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

/**
 * The tasks that fit every given part of the filter.
 * @param pace waited for between the steps that take their time
 * @throws RoomError `room_gone`, `io`
 */
export async function findTasks(handle: RoomHandle, filter: ListFilter = {}, pace = async () => {}) {
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
  const tasks = filter.sort === undefined ? fitting : sortedBy(filter.sort, fitting);
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

type Fits = (view: TaskView) => boolean;

function filterOf(
  handle: RoomHandle,
  filter: ListFilter,
  snapshot: Snapshot,
  problemOf: AgentProblemOf,
): Fits | null {
  const said = filter as Readonly<Record<string, string & readonly string[]>>;
  const tests = FILTER_KEYS.flatMap((key) => {
    const wanted = said[factsOf(key).filter!.as];
    return wanted === undefined ? [] : [testOf(key, wanted, handle, snapshot)];
  });
  if (filter.ready === true) tests.push(isReady(handle.deps.effects.now(), problemOf));
  return tests.length === 0 ? null : (view) => tests.every((test) => test(view));
}

/** What a filter by a key asks of a task. */
function testOf(
  key: FilterKey,
  wanted: string & readonly string[],
  handle: RoomHandle,
  snapshot: Snapshot,
): Fits {
  if (key === 'artifact') {
    const artifact = artifactNameOf(wanted);
    return (view) => view.artifact !== null && artifactNameOf(view.artifact) === artifact;
  }
  switch (factsOf(key).kind) {
    case 'status':
      return (view) => wanted.includes(view.status);
    case 'priority':
      return (view) => wanted.includes(view.priority ?? 'medium');
    case 'agent': {
      const { defaultAgent } = handle.deps.config();
      return (view) => (view.owner ?? defaultAgent) === wanted;
    }
    case 'task': {
      const parents = namesOfParent(handle, wanted, snapshot);
      return (view) => view.parent !== null && parents.has(idOfRef(view.parent));
    }
    case 'list':
      return (view) => view.labels.includes(wanted);
    default:
      return (view) => view[propertyOf(key) as 'sprint'] === wanted;
  }
}

function isReady(now: number, problemOf: AgentProblemOf): Fits {
  return (view) => {
    if (view.running !== null) return true;
    const open =
      (view.status === 'todo' || view.status === 'doing') &&
      !view.paused &&
      !view.blocked &&
      !view.waiting &&
      !view.held;
    return open && view.parkedUntil === null && (view.retryAt ?? 0) <= now && problemOf(view.owner) === null;
  };
}
