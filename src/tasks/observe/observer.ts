// Observing a task file: one transaction compares it with what was known, records it and decides the consequences, once.
import type { Problem } from '../../core/errors.ts';
import type { RoomEvent } from '../../core/events.ts';
import type { TaskId } from '../../core/ids.ts';
import { consequencesOf, type Observed } from '../../core/rules/consequences.ts';
import { isFinished } from '../../core/task/status.ts';
import type { InvalidFile, Task } from '../../core/task/task.ts';
import { statTask } from '../../store/files/scan.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import { type FileRow, sameStamp } from '../../store/ledger/tasks/files.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { idOfRef } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import { asItCounts, takeInChecks, takeInQuestions } from './checks-and-questions.ts';
import {
  changeEvents,
  follow,
  type Observation,
  recheckBlocked,
  recheckDependents,
  setBlocked,
} from './consequences.ts';
import { homeElsewhere, takesOver } from './give-id.ts';
import { takeInOwner } from './handed-over.ts';

const PRIORITY_RANK = { high: 0, medium: 1, low: 2 } as const;

export type { Observation } from './consequences.ts';

/** @param before what is known of the file, where the caller has just looked */
export const recordReading = (deps: TaskRoom, row: FileRow, before?: FileRow | null): Observation =>
  tell(
    deps,
    deps.ledger.transaction(() => take(deps, row, before)),
  );

/** The same in a commit shared with what else is recorded now; durable when it resolves. Null where the file changed since. */
export async function recordReadingSoon(deps: TaskRoom, row: FileRow): Promise<Observation | null> {
  const known = deps.ledger.files.get(row.path);
  // Nothing is written then, and there is nothing to wait for.
  if (known?.hash === row.hash && sameStamp(known.stamp, row.stamp)) return recordReading(deps, row);
  const observation = await deps.ledger.together(() => {
    const stamp = statTask(deps.room.at(row.path));
    const isThere = stamp !== null && typeof stamp !== 'string' && sameStamp(stamp, row.stamp);
    return isThere ? take(deps, row) : null;
  });
  return observation && tell(deps, observation);
}

/** Call it only when a rename had time to show itself. @param massLoss one of many that went at once: never canceled */
export const recordGone = (deps: TaskRoom, path: string, massLoss = false): Observation =>
  tell(
    deps,
    deps.ledger.transaction(() => takeGone(deps, path, massLoss)),
  );

function tell({ events }: TaskRoom, observation: Observation): Observation {
  observation.events.splice(0).forEach(events.emit);
  return observation;
}

function newObservation(kind: Observation['kind'], path: string, id: TaskId | null = null): Observation {
  const nothing = { look: [], stop: [], windDown: [], reread: [], events: [] };
  return { kind, path, id, inputChanged: false, answerTyped: false, ...nothing };
}

function take(deps: TaskRoom, row: FileRow, before = deps.ledger.files.get(row.path)): Observation {
  const { files } = deps.ledger;
  const { path, reading } = row;
  const known = before === null ? null : unchanged(deps, before, row);
  if (known !== null) return known;
  if (!reading.ok) return takeInvalid(deps.ledger, before, row, reading.invalid);
  const { task } = reading;
  const memory = task.id === null ? null : deps.ledger.tasks.get(task.id);
  const rival = memory === null || memory.path === path ? null : homeElsewhere(deps, path, memory.id);
  const isCopy = rival !== null && !takesOver(deps, row, rival);
  const kind = task.id === null ? 'needs_id' : isCopy ? 'copy' : 'task';
  const result = newObservation(kind, path, task.id);
  files.put(row, kind === 'task');
  if (before && !before.reading.ok) result.events.push({ type: 'task.mended', path });
  if (task.oddKeys !== undefined) result.events.push(...oddKeyEvents(task.oddKeys, task, before));
  if (!isCopy && (task.checks !== undefined || memory !== null)) takeInChecks(deps.ledger, row, task);
  if (kind !== 'task') return result;
  takeInOwner(deps, row, before, task, memory);
  const asked = takeInQuestions(deps, row, task, memory === null);
  if (memory === null) firstSight(deps, task, task.id!, result);
  else compare(deps, memory, task, before?.reading.ok ? before.reading.task : null, result);
  result.answerTyped = asked.isTyped;
  result.events.push(...asked.events);
  if (rival !== null) result.reread.push(rival);
  return result;
}

function takeInvalid(ledger: Ledger, before: FileRow | null, row: FileRow, invalid: InvalidFile) {
  const { deleted, problems } = invalid;
  const { path, hash } = row;
  ledger.files.put(row, false);
  if (deleted) return newObservation('deleted', path);
  const result = newObservation('invalid', path);
  if (before?.hash !== hash || before.reading.ok)
    result.events.push({ type: 'task.invalid', path, problems });
  return result;
}

/** Told when they come; a file that a reader kept before anybody observed it is news too. */
function oddKeyEvents(odd: readonly Problem[], { path, id }: Task, before: FileRow | null): RoomEvent[] {
  const known = before?.reading.ok && before.reading.task.id === id ? before.reading.task.oddKeys : undefined;
  // A line more above it makes it no news.
  const news = odd.filter(({ message }) => !known?.some((one) => one.message === message));
  return news.length > 0 ? [{ type: 'task.odd_keys', path, problems: [...odd] }] : [];
}

/** A file that says what was observed of it last: nothing to record, and so nothing to wait for the disk for. */
function unchanged(deps: TaskRoom, before: FileRow, { path, hash, stamp, reading }: FileRow) {
  if (before.hash !== hash || !sameStamp(before.stamp, stamp) || !reading.ok || reading.task.id === null)
    return null;
  const memory = deps.ledger.tasks.get(reading.task.id);
  if (memory === null || memory.hash !== hash || memory.path !== path) return null;
  // A done that was held may count by now.
  if (memory.status !== reading.task.status) return null;
  deps.ledger.files.setObserved(path, true);
  return { ...newObservation('task', path, memory.id), look: [memory.id] };
}

function firstSight(deps: TaskRoom, task: Task, id: TaskId, result: Observation): void {
  const { tasks } = deps.ledger;
  const fresh = { ...freshMemory(task, id, deps.effects.now()), held: isOneTooMany(deps, id) };
  tasks.insert(fresh);
  if (fresh.held) result.events.push({ type: 'tasks.held', count: tasks.held().length });
  setReferences(deps, id, task, true);
  result.events.push({ type: 'task.seen', id, name: task.name, path: task.path, status: task.status });
  result.inputChanged = true;
  // Made at its size: a first scan keeps one for each file, and a list that grew keeps room for sixteen more.
  result.look = [id, ...recheckDependents(deps, id, task.name, result)];
  if (task.blockedBy.length > 0) setBlocked(deps, fresh, task.blockedBy, result);
  // One that an operation made finished became so at that moment; of a file that came so nobody saw it.
  if (isFinished(task.status) && deps.ledger.writes.isMadeOnDemand(task.path, task.hash)) {
    const was: Observed = { status: 'todo', paused: task.paused, present: true };
    const list = consequencesOf(was, { ...was, status: task.status });
    for (const consequence of list) follow(deps, fresh, consequence, result);
  }
}

/** Whether so many tasks came of one task's turns, or of their tasks' turns, since somebody asked for the first one that this one waits. */
function isOneTooMany({ ledger, config }: TaskRoom, id: TaskId): boolean {
  const first = ledger.makers.firstMaker(id);
  if (first === null) return false;
  const { holdAbove } = config();
  return (
    holdAbove > 0 &&
    ledger.makers.countBelow(first, ledger.turns.lastAskedFor(first)) >= holdAbove * MADE_PER_HELD
  );
}

const MADE_PER_HELD = 4; // A plan of many parts is made bit by bit.

/** What is remembered of a task that nobody saw before. */
export function freshMemory(task: Task, id: TaskId, now: number): TaskMemory {
  return {
    ...factsOf(task),
    ...{ id, consumed: null, attempted: null, attempts: 0, retryAt: null, held: false, loops: 0 },
    ...{ blocked: false, goneAt: null, archived: null, seenAt: now },
    finishedAt: isFinished(task.status) ? now : null,
  };
}

/** Records what the file says of other tasks. */
function setReferences({ ledger }: TaskRoom, id: TaskId, { blockedBy, steps }: Task, isNew: boolean): void {
  const links = steps.flatMap((step) => (step.task === null ? [] : [idOfRef(step.task)]));
  ledger.blockers.set(id, blockedBy.map(idOfRef), isNew);
  ledger.stepLinks.set(id, links, isNew);
}

function factsOf(task: Task) {
  const { path, name, title, hash, revision, status, paused, owner } = task;
  const priority = PRIORITY_RANK[task.priority ?? 'medium'];
  const parent = task.parent === null ? null : idOfRef(task.parent);
  // A runbook runs only what the person wrote in this room.
  const forRunbook = task.hasRunBlocks === true && task.remote === null && task.requester === 'owner';
  return { path, name, title, hash, revision, status, paused, owner, forRunbook, priority, parent };
}

/** @param before what its file said last; null when that is not known */
function compare(deps: TaskRoom, memory: TaskMemory, seen: Task, before: Task | null, result: Observation) {
  const { tasks } = deps.ledger;
  const { id } = memory;
  const { task, held } = asItCounts(deps.ledger, memory, seen);
  // Its turn gets its minute to end by itself; nothing else follows yet.
  if (held) result.windDown.push(id);
  const was: Observed = { status: memory.status, paused: memory.paused, present: memory.path !== null };
  const list = consequencesOf(was, { status: task.status, paused: task.paused, present: true });
  result.inputChanged = memory.revision !== task.revision;
  if (memory.paused && !task.paused) deps.ledger.pauses.delete(id);
  const facts = factsOf(task);
  const isNewEnd = isFinished(task.status) && memory.status !== task.status;
  const finishedAt = isNewEnd ? deps.effects.now() : isFinished(task.status) ? memory.finishedAt : null;
  tasks.update(id, { ...facts, goneAt: null, archived: null, finishedAt });
  setReferences(deps, id, task, false);
  if (memory.path !== task.path) deps.ledger.files.delete(memory.path ?? '');
  result.events.push(...changeEvents(deps, memory, task, before));
  for (const consequence of list) follow(deps, { ...memory, ...facts }, consequence, result);
  recheckBlocked(deps, id, result);
  result.look.push(id);
}

function takeGone(deps: TaskRoom, path: string, massLoss: boolean): Observation {
  const { tasks, files } = deps.ledger;
  const memory = tasks.byPath(path);
  const result = newObservation('gone', path, memory?.id ?? null);
  if (memory !== null) {
    const { id, name, paused } = memory;
    const cancel = deps.config().onDelete === 'cancel' && !massLoss && !isFinished(memory.status);
    const status = cancel ? 'canceled' : memory.status;
    const before: Observed = { status: memory.status, paused, present: true };
    tasks.update(id, { path: null, status, goneAt: deps.effects.now() });
    result.events.push({ type: 'task.gone', id, name });
    for (const consequence of consequencesOf(before, { status, paused, present: false }))
      follow(deps, { ...memory, status }, consequence, result);
  }
  files.delete(path);
  return result;
}
