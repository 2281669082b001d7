// What an observation leads to. In its transaction: wakes, dropped requests, turns to stop, tasks that are blocked or free now. After
// it: the history line of each finish, exactly once, and the end of a canceled task's subtasks.
import { statSync } from 'node:fs';
import type { RoomEvent } from '../../core/events.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { snakeKeys } from '../../core/plain-data.ts';
import type { Consequence } from '../../core/rules/consequences.ts';
import { isBlocked } from '../../core/rules/decide.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { NOTHING_SAID } from '../../core/task/task-keys.ts';
import { createPace } from '../../effects.ts';
import { appendHistory, type HistoryLine, MAX_APPENDED } from '../../store/files/history.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { PendingConsequence } from '../../store/ledger/tasks/waits.ts';
import { findByRef, namesOfTask, parentsOf, subtasksOf } from '../references.ts';
import { agentOfName, type TaskRoom } from '../task-room.ts';

/** What an observation asks of whoever runs turns. */
export interface Observation {
  kind: 'task' | 'invalid' | 'deleted' | 'needs_id' | 'copy' | 'gone';
  path: string;
  id: TaskId | null;
  inputChanged: boolean; // The requester's words changed (or were seen for the first time).
  answerTyped: boolean; // Somebody typed an answer to a question, and may still be at it.
  look: TaskId[];
  stop: { id: TaskId; reason: TurnReason }[];
  windDown: TaskId[];
  events: RoomEvent[]; // Told by whoever recorded it.
  reread: string[]; // Paths to look at anew: what was taken for a task's file turned out to be a copy of it.
}

/** @param facts of the task that changed, as it is now */
export function follow(deps: TaskRoom, facts: TaskMemory, consequence: Consequence, result: Observation) {
  const { tasks, wakes, requests, consequences } = deps.ledger;
  const { id } = facts;
  const now = deps.effects.now();
  switch (consequence.kind) {
    case 'history': {
      // The facts are kept as they are at this moment: the file may be gone or changed when the line is written.
      const row = facts.path === null ? null : deps.ledger.files.get(facts.path);
      const task =
        row?.reading.ok && row.reading.task.id === id ? { ...row.reading.task, status: facts.status } : null;
      const at = tasks.get(id)?.finishedAt ?? now;
      consequences.insert({ at, task: id, consequence, payload: JSON.stringify({ path: facts.path, task }) });
      return;
    }
    case 'wake_parent': {
      for (const parent of parentsOf(deps.ledger, facts)) {
        if (parent.path === null || isFinished(parent.status)) continue;
        wakes.add(parent.id, 'subtask_finished', now);
        result.look.push(parent.id);
      }
      return;
    }
    case 'cancel_subtasks':
      // Writing files takes its time: it is carried out after this transaction.
      if (subtasksOf(deps.ledger, facts).length > 0)
        consequences.insert({ at: now, task: id, consequence, payload: '' });
      return;
    case 'recheck_dependents':
      result.look.push(...recheckDependents(deps, id, facts.name, result));
      return;
    case 'wake':
      wakes.add(id, isSaidByAgent(deps, facts) ? 'by_agent' : consequence.wake, now);
      return;
    case 'reset_attempts':
      tasks.update(id, { attempts: 0, attempted: null, retryAt: null });
      // An agent that resumes a task grants it neither turns nor money.
      if (isSaidByAgent(deps, facts)) return;
      tasks.update(id, { loops: 0 });
      deps.ledger.spending.reset(threadOfTask(id));
      return;
    case 'drop_request':
      requests.delete(threadOfTask(id));
      wakes.deleteAll({ task: id });
      tasks.update(id, { retryAt: null, held: false });
      return;
    case 'stop_turn':
      result.stop.push({ id, reason: consequence.reason });
      return;
    case 'wind_down':
      result.windDown.push(id);
  }
}

/** Whether the text of a task's file is one that an agent of the room wrote by an operation. */
export function isSaidByAgent(
  { ledger, agents }: TaskRoom,
  { path, hash }: Pick<TaskMemory, 'path' | 'hash'>,
) {
  const agent = agentOfName(ledger.writes.actorOf(path ?? '', hash) ?? '');
  return agent !== null && agents().has(agent);
}

type Stops = Pick<Observation, 'stop' | 'events'>;

/** Looks again whether a task is blocked, by what its file was last read to say. Returns whether the task became free. */
export function recheckBlocked(deps: TaskRoom, id: TaskId, result: Stops) {
  const { tasks, files } = deps.ledger;
  const memory = tasks.get(id);
  const row = memory?.path == null ? null : files.get(memory.path);
  // One that can't be read stays as it was.
  if (memory === null || !row?.reading.ok) return false;
  return setBlocked(deps, memory, row.reading.task.blockedBy, result);
}

/** @param refs the tasks it names as its blockers */
export function setBlocked(deps: TaskRoom, memory: TaskMemory, refs: readonly string[], result: Stops) {
  const { id, status } = memory;
  if (isFinished(status)) return false;
  const blockers = refs.map((ref) => ({ ref, status: findByRef(deps.ledger, ref)?.status ?? null }));
  const blocked = isBlocked(blockers);
  if (blocked === memory.blocked) return false;
  deps.ledger.tasks.update(id, { blocked });
  const open = blockers.filter((blocker) => blocker.status !== 'done').map((blocker) => blocker.ref);
  if (!blocked) result.events.push({ type: 'task.unblocked', id, name: memory.name });
  else {
    result.events.push({ type: 'task.blocked', id, name: memory.name, by: open });
    result.stop.push({ id, reason: 'paused' });
  }
  return !blocked;
}

/** Looks again at what waits for a task; returns those tasks. */
export function recheckDependents(deps: TaskRoom, id: TaskId, name: string, result: Stops) {
  const dependents = deps.ledger.blockers.holders(namesOfTask(deps.ledger, id, name));
  for (const dependent of dependents) {
    if (recheckBlocked(deps, dependent, result))
      deps.ledger.wakes.add(dependent, 'unblocked', deps.effects.now());
  }
  return dependents;
}

/** @param before what its file said last; null when that is not known */
export function changeEvents(deps: TaskRoom, memory: TaskMemory, task: Task, before: Task | null) {
  const events: RoomEvent[] = [];
  const { id } = memory;
  const { name } = task;
  if (memory.path !== null && memory.path !== task.path)
    events.push({ type: 'task.renamed', id, name, was: memory.name });
  const stepped = task.steps.filter((step) => step.done);
  const doneBefore = new Set(before?.steps.filter((step) => step.done).map((step) => step.title));
  const news = before === null ? [] : stepped.filter((step) => !doneBefore.has(step.title));
  // Several ticks seen at once count up like single ones.
  const total = task.steps.length;
  let done = stepped.length - news.length;
  for (const { title } of news) events.push({ type: 'task.stepped', id, name, done: ++done, total, title });
  if (memory.status !== task.status)
    events.push({ type: 'task.changed', id, name, status: task.status, was: memory.status });
  if (isFinished(memory.status) && isFinished(task.status) && memory.revision !== task.revision)
    events.push({ type: 'task.edited_after_end', id, name, status: task.status });
  if (memory.paused && !task.paused) events.push({ type: 'task.resumed', id, name });
  if (!memory.paused && task.paused && told.get(deps)?.delete(id) !== true)
    events.push({ type: 'task.paused', id, name, reason: 'its file says so' });
  return events;
}

// A pause is told once: with its reason by the operation that made it, without one by whoever sees it in the file.
const told = new WeakMap<TaskRoom, Set<TaskId>>();

/** This process is about to pause the task and tells of it itself: what is observed of that is no news. */
export function expectPause(deps: TaskRoom, id: TaskId): void {
  told.set(deps, (told.get(deps) ?? new Set()).add(id));
}

/** Returns the tasks whose files were written, for the caller to observe. @throws RoomError `io`; the rest stays pending */
export async function applyConsequences(deps: TaskRoom): Promise<TaskMemory[]> {
  const written: TaskMemory[] = [];
  const pace = createPace(deps.effects);
  const finishes: Finish[] = [];
  for (const pending of deps.ledger.consequences.all()) {
    await pace();
    if (pending.consequence.kind !== 'cancel_subtasks') {
      finishes.push(await finishOf(deps, pending));
      if (finishes.length === MAX_APPENDED) recordFinishes(deps, finishes.splice(0));
      continue;
    }
    // Loaded here: it brings the parser.
    const { cancelSubtasks } = await import('./hide-deleted.ts');
    written.push(...(await cancelSubtasks(deps, pending.task, pending.at)));
    deps.ledger.consequences.delete(pending.seq);
  }
  recordFinishes(deps, finishes);
  return written;
}

/** `line` is null when nothing is known of the task any more, `mode` (its file's permissions) when that is not there any more. */
type Finish = { seq: number; line: HistoryLine | null; mode: number | null };

/** The lines of several finishes wait for the disk together. */
function recordFinishes({ ledger, room }: TaskRoom, finishes: readonly Finish[]): void {
  if (finishes.length === 0) return;
  // The transaction keeps a second process from adding a line between our look and our record.
  ledger.transaction(() => {
    const pending = finishes.filter(({ seq }) => ledger.consequences.get(seq) !== null);
    const lines = pending.flatMap(({ line, mode }) => (line === null ? [] : [{ line, mode }]));
    appendHistory(room.historyPath, lines);
    for (const { seq } of pending) ledger.consequences.delete(seq);
  });
}

async function finishOf(deps: TaskRoom, { seq, at, task: id, payload }: PendingConsequence): Promise<Finish> {
  // `task`: as it was when the finish was seen; null when the file could not be read then.
  const { path, task }: { path: string | null; task: Task | null } = JSON.parse(payload);
  const memory = deps.ledger.tasks.get(id);
  if (memory === null) return { seq, line: null, mode: null };
  // Loaded here: most looks find nothing pending, and the parser is heavy.
  const { readAsTask } = await import('./read-file-row.ts');
  const found = path === null ? null : await readAsTask(deps, path, id);
  const stat = path === null ? undefined : statSync(deps.room.at(path), { throwIfNoEntry: false });
  const known = task ?? found?.task ?? factsFrom(memory);
  const { path: _p, hash: _h, oddKeys: _o, questions: _q, ...facts } = known;
  const { name, status } = facts;
  const archived_at = new Date(at).toISOString();
  const said = snakeKeys(facts) as HistoryLine['task'];
  const line = { archived_at, id, name, status, task: said, text: found?.text ?? '' };
  return { seq, line, mode: stat === undefined ? null : stat.mode & 0o777 };
}

/** What is left of a task whose file was broken when it went. */
function factsFrom({ id, name, path, hash, revision, status, paused, owner, parent }: TaskMemory): Task {
  const { checks: _none, ...nothing } = NOTHING_SAID;
  const known = { id, name, path: path ?? '', hash, revision, status, paused, owner, parent };
  return { ...nothing, steps: [], ...known };
}
