// Taking in what a task file says now: one ledger transaction compares it with what was last observed, records it
// and decides the consequences, so that whoever observes first applies them and nobody applies them twice.

import type { RoomEvent } from '../../core/events.ts';
import type { TaskId } from '../../core/ids.ts';
import { consequencesOf, type Observed } from '../../core/rules/consequences.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { statTask } from '../../store/files/scan.ts';
import { type FileRow, sameStamp } from '../../store/ledger/tasks/files.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { idOfRef } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import { changeEvents } from './change-events.ts';
import { asItCounts, takeInChecks } from './checks.ts';
import { follow, type Observation, recheckBlocked, recheckDependents } from './follow-consequence.ts';
import { homeElsewhere, takesOver } from './give-id.ts';
import { takeInOwner } from './handed-over.ts';
import { takeInQuestions } from './questions.ts';

const PRIORITY_RANK = { high: 0, medium: 1, low: 2 } as const;

export type { Observation } from './follow-consequence.ts';

/** Records a reading of a file that is there. */
export function recordReading(deps: TaskRoom, row: FileRow): Observation {
  const result = deps.ledger.transaction(() => take(deps, row));
  for (const event of result.events) deps.events.emit(event);
  return result.observation;
}

/**
 * The same in a commit that is shared with what else is recorded at the moment; durable when it resolves. Null where the file is
 * another by then: what was read of it is old.
 */
export async function recordReadingSoon(deps: TaskRoom, row: FileRow): Promise<Observation | null> {
  const known = deps.ledger.files.get(row.path);
  // Nothing is written then, and there is nothing to wait for.
  if (known?.hash === row.hash && sameStamp(known.stamp, row.stamp)) return recordReading(deps, row);
  const result = await deps.ledger.together(() => {
    const stamp = statTask(deps.room.at(row.path));
    const isThere = stamp !== null && typeof stamp !== 'string' && sameStamp(stamp, row.stamp);
    return isThere ? take(deps, row) : null;
  });
  for (const event of result?.events ?? []) deps.events.emit(event);
  return result?.observation ?? null;
}

/**
 * Records that a file is not there any more. Call it only when a rename had time to show itself.
 * @param massLoss one of many that went at once: forgotten, whatever the room says of deletions
 */
export function recordGone(deps: TaskRoom, path: string, massLoss = false): Observation {
  const result = deps.ledger.transaction(() => takeGone(deps, path, massLoss));
  for (const event of result.events) deps.events.emit(event);
  return result.observation;
}

interface Taken {
  observation: Observation;
  events: RoomEvent[];
}

function observation(kind: Observation['kind'], path: string, id: TaskId | null = null): Observation {
  const nothing = { look: [], stop: [], windDown: [], reread: [] };
  return { kind, path, id, inputChanged: false, answerTyped: false, ...nothing };
}

function take(deps: TaskRoom, row: FileRow): Taken {
  const { files } = deps.ledger;
  const before = files.get(row.path);
  const known = before === null ? null : unchanged(deps, before, row);
  if (known !== null) return known;
  if (!row.reading.ok) {
    files.put(row, false);
    if (row.reading.invalid.deleted) return { observation: observation('deleted', row.path), events: [] };
    const news = before?.hash !== row.hash || before.reading.ok;
    const events: RoomEvent[] = news
      ? [{ type: 'task.invalid', path: row.path, problems: row.reading.invalid.problems }]
      : [];
    return { observation: observation('invalid', row.path), events };
  }
  const { task } = row.reading;
  const events: RoomEvent[] = [];
  if (before && !before.reading.ok) events.push({ type: 'task.mended', path: row.path });
  const memory = task.id === null ? null : deps.ledger.tasks.get(task.id);
  const rival = memory === null ? null : homeElsewhere(deps, task.path, memory.id);
  const copy = rival !== null && !takesOver(deps, row, rival);
  files.put(row, task.id !== null && !copy);
  events.push(...oddKeyEvents(task, before));
  if (!copy && (task.checks !== undefined || memory !== null)) takeInChecks(deps.ledger, row, task);
  if (task.id === null) return { observation: observation('needs_id', row.path), events };
  if (copy) return { observation: observation('copy', row.path, task.id), events };
  takeInOwner(deps, row, before, task, memory);
  const asked = takeInQuestions(deps, row, task, memory === null);
  const said = before?.reading.ok ? before.reading.task : null;
  const taken =
    memory === null ? firstSight(deps, task, task.id, events) : compare(deps, memory, task, said, events);
  taken.observation.answerTyped = asked.isTyped;
  taken.events.push(...asked.events);
  if (rival !== null) taken.observation.reread.push(rival);
  return taken;
}

/** Told when they come; a file that a reader kept before anybody observed it is news too. */
function oddKeyEvents({ path, oddKeys, id }: Task, before: FileRow | null): RoomEvent[] {
  const known = before?.reading.ok && before.reading.task.id === id ? before.reading.task.oddKeys : undefined;
  // A line more above it makes it no news.
  const news = (oddKeys ?? []).filter(({ message }) => !known?.some((one) => one.message === message));
  return news.length > 0 ? [{ type: 'task.odd_keys', path, problems: oddKeys ?? [] }] : [];
}

/** A file that says what was observed of it last: nothing to record, and so nothing to wait for the disk for. */
function unchanged(deps: TaskRoom, before: FileRow, { path, hash, stamp, reading }: FileRow): Taken | null {
  if (before.hash !== hash || !sameStamp(before.stamp, stamp) || !reading.ok || reading.task.id === null)
    return null;
  const memory = deps.ledger.tasks.get(reading.task.id);
  if (memory === null || memory.hash !== hash || memory.path !== path) return null;
  // A done that was held may count by now.
  if (memory.status !== reading.task.status) return null;
  deps.ledger.files.setObserved(path);
  const result = observation('task', path, memory.id);
  result.look.push(memory.id);
  return { observation: result, events: [] };
}

function firstSight(deps: TaskRoom, task: Task, id: TaskId, events: RoomEvent[]): Taken {
  const { tasks } = deps.ledger;
  const fresh = freshMemory(task, id, deps.effects.now());
  tasks.insert(fresh);
  deps.ledger.blockers.set(id, task.blockedBy.map(idOfRef));
  setStepLinks(deps, id, task);
  events.push({ type: 'task.seen', id, name: task.name, path: task.path, status: task.status });
  const result = observation('task', task.path, id);
  result.inputChanged = true;
  // Made at its size: a first scan keeps one for each file, and a list that grew keeps room for sixteen more.
  result.look = [id, ...recheckDependents(deps, id, task.name, result, events)];
  if (task.blockedBy.length > 0) recheckBlocked(deps, id, result, events);
  // One that an operation made finished became so at that moment; of a file that came so nobody saw it.
  if (isFinished(task.status) && deps.ledger.writes.isMadeOnDemand(task.path, task.hash)) {
    const was: Observed = { status: 'todo', paused: task.paused, present: true };
    const list = consequencesOf(was, { ...was, status: task.status });
    for (const consequence of list) follow(deps, fresh, consequence, result, events);
  }
  return { observation: result, events };
}

/** What is remembered of a task that nobody saw before. */
export function freshMemory(task: Task, id: TaskId, now: number): TaskMemory {
  return {
    ...factsOf(task),
    ...{ id, consumed: null, attempted: null, attempts: 0, retryAt: null, held: false, loops: 0 },
    ...{ blocked: false, goneAt: null, archived: null, seenAt: now },
    finishedAt: isFinished(task.status) ? now : null,
  };
}

/** Few tasks have any: those that have none cost a look, not a write. */
function setStepLinks({ ledger }: TaskRoom, id: TaskId, { steps }: Task): void {
  const links = steps.flatMap((step) => (step.task === null ? [] : [idOfRef(step.task)]));
  if (links.length > 0 || ledger.stepLinks.of(id).length > 0) ledger.stepLinks.set(id, links);
}

function factsOf(task: Task) {
  const { path, name, hash, revision, status, paused, owner } = task;
  const priority = PRIORITY_RANK[task.priority ?? 'medium'];
  const parent = task.parent === null ? null : idOfRef(task.parent);
  return { path, name, hash, revision, status, paused, owner, priority, parent };
}

function compare(
  deps: TaskRoom,
  memory: TaskMemory,
  seen: Task,
  before: Task | null,
  events: RoomEvent[],
): Taken {
  const { tasks, blockers } = deps.ledger;
  const id = memory.id;
  const { task, held } = asItCounts(deps.ledger, memory, seen);
  const result = observation('task', task.path, id);
  // Its turn gets its minute to end by itself; nothing else follows yet.
  if (held) result.windDown.push(id);
  const was: Observed = { status: memory.status, paused: memory.paused, present: memory.path !== null };
  const list = consequencesOf(was, { status: task.status, paused: task.paused, present: true });
  result.inputChanged = memory.revision !== task.revision;
  if (memory.paused && !task.paused) deps.ledger.pauses.delete(id);
  tasks.update(id, {
    ...factsOf(task),
    goneAt: null,
    archived: null,
    ...finishChange(memory, task, deps.effects.now()),
  });
  blockers.set(id, task.blockedBy.map(idOfRef));
  setStepLinks(deps, id, task);
  if (memory.path !== task.path) deps.ledger.files.delete(memory.path ?? '');
  events.push(...changeEvents(deps, memory, task, before));
  for (const consequence of list) follow(deps, { ...memory, ...factsOf(task) }, consequence, result, events);
  recheckBlocked(deps, id, result, events);
  result.look.push(id);
  return { observation: result, events };
}

function finishChange(memory: TaskMemory, task: Task, now: number): { finishedAt?: number | null } {
  if (!isFinished(task.status)) return memory.finishedAt === null ? {} : { finishedAt: null };
  return memory.status === task.status ? {} : { finishedAt: now };
}

function takeGone(deps: TaskRoom, path: string, massLoss: boolean): Taken {
  const memory = deps.ledger.tasks.byPath(path);
  const result = observation('gone', path, memory?.id ?? null);
  const events: RoomEvent[] = [];
  if (memory === null) {
    deps.ledger.files.delete(path);
    return { observation: result, events };
  }
  const cancel = deps.config().onDelete === 'cancel' && !massLoss && !isFinished(memory.status);
  const status = cancel ? 'canceled' : memory.status;
  const before: Observed = { status: memory.status, paused: memory.paused, present: true };
  const list = consequencesOf(before, { status, paused: memory.paused, present: false });
  deps.ledger.tasks.update(memory.id, { path: null, status, goneAt: deps.effects.now() });
  events.push({ type: 'task.gone', id: memory.id, name: memory.name });
  for (const consequence of list) follow(deps, { ...memory, status }, consequence, result, events);
  deps.ledger.files.delete(path);
  return { observation: result, events };
}
