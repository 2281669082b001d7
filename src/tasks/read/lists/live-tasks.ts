// The tasks of a room for a screen that is open for hours: kept in memory, with only those files read anew that are said to
// have changed. Writes nothing. What did not change stays the same object, so that a screen tells by that what to draw.
import type { TaskId } from '../../../core/ids.ts';
import { type ListedTask, rowOf } from '../../../core/task/listed-line.ts';
import { asListed, unpackForList } from '../../../core/task/packed-reading.ts';
import { isFinished, type Status } from '../../../core/task/status.ts';
import { type FileStamp, sameStamp } from '../../../store/ledger/tasks/files.ts';
import { passedOver, runScan, statTask } from '../../../store/scan.ts';
import { isWaiting, readAll, statusesOf } from '../../observe/snapshot.ts';
import { idOfRef } from '../../references.ts';
import type { RoomHandle } from '../../room-handle.ts';
import type { TaskRow } from '../../shapes/task.ts';
import { readTurnsNow, type TurnFacts, toView } from './list-tasks.ts';
import { type Order, type Placed, placeTasks, standsAsBefore } from './live-order.ts';

export type LiveTasks = ReturnType<typeof createLiveTasks>;

interface Entry extends Placed {
  path: string;
  stamp: FileStamp;
  /** Null for a file that can't be read as a task. */
  task: ListedTask | null;
  /** Null when it is to be made anew. */
  view: TaskRow | null;
}

interface State {
  handle: RoomHandle;
  entries: Map<string, Entry>;
  byId: Map<TaskId, Entry>;
  facts: TurnFacts;
  /** Null when it may have changed. */
  order: Order<TaskEntry> | null;
  /** Null when one of them is to be made anew. */
  views: readonly TaskRow[] | null;
  /** The views as they were handed out last, in the order that holds. */
  made: TaskRow[];
  /** Entries whose view is to be made anew. */
  stale: Set<Entry>;
  /** Tasks that have another status since the views were made. */
  turned: Set<TaskId>;
  isFirst: boolean;
}

export function createLiveTasks(handle: RoomHandle) {
  const facts = {
    running: new Map(),
    pending: new Set<TaskId>(),
    parked: new Map(),
    silent: new Set<TaskId>(),
  };
  const state: State = {
    handle,
    entries: new Map(),
    byId: new Map(),
    facts: { ...facts, waiting: new Map() },
    order: null,
    views: null,
    made: [],
    stale: new Set(),
    turned: new Set(),
    isFirst: true,
  };
  return {
    /** In the order of lists. The same array as long as nothing changed. */
    tasks: (): readonly TaskRow[] => viewsOf(state),
    /**
     * Takes in what these files say now, those that are gone too; every file of the room where it is null.
     * @param paths relative to the room
     * @throws RoomError `room_gone`, `io`
     */
    look: (paths: Iterable<string> | null): Promise<void> =>
      paths === null ? lookAtAll(state) : lookAt(state, paths),
    /** Takes in what the ledger says of their turns now. */
    lookAtTurns: (): void => takeFacts(state, { ...readTurnsNow(handle), waiting: waitingNow(state) }),
    /** Another one whenever another process changed the ledger. */
    version(): number {
      const row = handle.deps.ledger.database.prepare('PRAGMA data_version').get();
      return Number((row as { data_version: number }).data_version);
    },
  };
}

async function lookAtAll(state: State): Promise<void> {
  const { handle, entries } = state;
  const { room, ledger } = handle.deps;
  if (state.isFirst) {
    for (const { path, line, ...stamp } of ledger.files.cached().values())
      put(state, path, stamp, listedOf(line));
    state.isFirst = false;
  }
  const same = (entry: Entry, stamp: FileStamp) => sameStamp(entry.stamp, stamp);
  const { changed, gone } = runScan(room, entries, same);
  for (const path of gone) remove(state, path);
  await read(
    state,
    changed.map(({ path }) => path),
  );
  takeFacts(state, { ...readTurnsNow(handle), waiting: ledger.tasks.waiting() });
}

async function lookAt(state: State, paths: Iterable<string>): Promise<void> {
  const changed: string[] = [];
  for (const path of paths) {
    if (passedOver(path.slice('tasks/'.length)) !== null) continue;
    const stamp = statTask(state.handle.deps.room.at(path));
    const known = state.entries.get(path);
    if (stamp === null || typeof stamp === 'string') remove(state, path);
    else if (known === undefined || !sameStamp(known.stamp, stamp)) changed.push(path);
  }
  await read(state, changed);
}

/** One that does not come to rest stays as it was: the next look at everything finds it. */
async function read(state: State, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  for (const { path, stamp, reading } of await readAll(state.handle, paths))
    put(state, path, stamp, reading.ok ? asListed(reading.task, stamp.mtimeMs) : null);
}

function listedOf(line: string): ListedTask | null {
  const reading = unpackForList(line);
  return reading.ok ? reading.task : null;
}

function put(state: State, path: string, stamp: FileStamp, task: ListedTask | null): void {
  const before = state.entries.get(path);
  const entry: Entry = {
    path,
    stamp,
    task,
    view: null,
    at: before?.at ?? 0,
  };
  state.views = null;
  if (before?.task && task && standsAsBefore(before.task, task)) {
    // In its old place in the order.
    if (task.id !== null && before.task.status !== task.status) state.turned.add(task.id);
    Object.assign(before, entry);
    state.stale.add(before);
    return;
  }
  remove(state, path);
  state.entries.set(path, entry);
  if (task !== null && task.id !== null) state.byId.set(task.id, entry);
}

function remove(state: State, path: string): void {
  const entry = state.entries.get(path);
  state.order = null;
  state.views = null;
  if (entry === undefined) return;
  state.entries.delete(path);
  state.stale.delete(entry);
  const id = entry.task?.id ?? null;
  if (id !== null && state.byId.get(id) === entry) state.byId.delete(id);
}

/** Of finished tasks what the last look at all of them told: asking for those costs as much as there are. */
function waitingNow({ handle, facts }: State): TurnFacts['waiting'] {
  const { tasks } = handle.deps.ledger;
  const waiting = new Map<TaskId, { held: boolean; retryAt: number | null; finishedAt: number | null }>();
  for (const [id, { finishedAt }] of facts.waiting)
    if (finishedAt !== null) waiting.set(id, { held: false, retryAt: null, finishedAt });
  for (const { id, held, retryAt, finishedAt } of [...tasks.held(), ...tasks.retrying()])
    waiting.set(id, { held, retryAt, finishedAt });
  return waiting;
}

function takeFacts(state: State, facts: TurnFacts): void {
  const { facts: before, byId } = state;
  const changed = (id: TaskId) => {
    const entry = byId.get(id);
    if (entry === undefined) return;
    entry.view = null;
    state.stale.add(entry);
    state.views = null;
  };
  for (const key of ['running', 'parked'] as const)
    for (const id of new Set([...before[key].keys(), ...facts[key].keys()]))
      if (before[key].get(id) !== facts[key].get(id)) changed(id);
  for (const key of ['pending', 'silent'] as const)
    for (const id of new Set([...before[key], ...facts[key]]))
      if (before[key].has(id) !== facts[key].has(id)) changed(id);
  for (const [id, now] of facts.waiting) {
    const was = before.waiting.get(id);
    if (was?.held !== now.held || was.retryAt !== now.retryAt || was.finishedAt !== now.finishedAt)
      changed(id);
  }
  for (const id of before.waiting.keys()) if (!facts.waiting.has(id)) changed(id);
  state.facts = facts;
}

/** Only views that are to be made anew, and those of tasks that wait for one with another status, are looked at. */
function viewsOf(state: State): readonly TaskRow[] {
  if (state.views !== null) return state.views;
  const order = orderOf(state);
  const blocked = toLookAt(state, order);
  const refs = blocked.flatMap(({ task }) => (isFinished(task.status) ? [] : task.blockedBy));
  const snapshot = { statusOf: statusLookup(state, order.order, refs) };
  const views = [...state.made];
  const make = (entry: TaskEntry) => {
    const view = toView(entry.task, snapshot, state.facts);
    entry.view = rowOf<NonNullable<TaskRow['why_not']>>(view, view, null);
    views[entry.at] = entry.view;
  };
  for (const entry of blocked) if (entry.view?.blocked !== isWaiting(snapshot, entry.task)) make(entry);
  for (const entry of state.stale) if (isTask(entry) && entry.view === null) make(entry);
  state.stale.clear();
  state.turned.clear();
  state.made = views;
  state.views = views;
  return views;
}

/** The tasks that name what they wait for and may wait no longer, or wait again. */
function toLookAt({ stale, turned }: State, order: Order<TaskEntry>): TaskEntry[] {
  if (order.isNew) {
    order.isNew = false;
    return order.blocked;
  }
  const found = new Set(order.outside);
  for (const id of turned) for (const entry of order.dependents.get(id) ?? []) found.add(entry);
  for (const entry of stale) if (isTask(entry) && entry.task.blockedBy.length > 0) found.add(entry);
  return [...found];
}

function statusLookup(
  { byId, handle }: State,
  order: readonly { task: ListedTask }[],
  refs: readonly string[],
): (ref: string) => Status | null {
  const statusOfId = (ref: string) => byId.get(idOfRef(ref) as TaskId)?.task?.status ?? null;
  const unknown = refs.filter((ref) => statusOfId(ref) === null);
  if (unknown.length === 0) return statusOfId;
  const others = statusesOf(
    handle,
    order.map(({ task }) => task),
    unknown,
  );
  return (ref) => statusOfId(ref) ?? others.get(idOfRef(ref)) ?? null;
}

function orderOf(state: State): Order<TaskEntry> {
  if (state.order !== null) return state.order;
  const order = placeTasks(
    [...state.entries.values()].filter(isTask),
    state.byId,
    state.handle.deps.ledger.tasks.firstSeen,
  );
  const views: TaskRow[] = [];
  for (const entry of order.order)
    if (entry.view === null) state.stale.add(entry);
    else views[entry.at] = entry.view;
  state.made = views;
  state.made.length = order.order.length;
  state.order = order;
  return order;
}

type TaskEntry = Entry & { task: ListedTask };

const isTask = (entry: Entry): entry is TaskEntry => entry.task !== null;
