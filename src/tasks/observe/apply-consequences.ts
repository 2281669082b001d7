// Carries out what observations decided and the ledger keeps: the history line of each finish, exactly once, and the end of
// a canceled task's subtasks. A disk that refuses leaves it pending; whoever comes next tries again.
import { statSync } from 'node:fs';
import { snakeKeys } from '../../core/snake-keys.ts';
import type { Task } from '../../core/task/task.ts';
import { nothingSaid } from '../../core/task/task-keys.ts';
import { createPace } from '../../effects.ts';
import { appendHistory, type HistoryLine, MAX_APPENDED } from '../../store/files/history.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { PendingConsequence } from '../../store/ledger/tasks/waits.ts';
import type { TaskRoom } from '../task-room.ts';

/**
 * Applies every pending consequence, oldest first.
 * @returns the tasks whose files were written: they are to be observed by the caller
 * @throws RoomError `io` when the disk refuses; the rest stays pending
 */
export async function applyConsequences(deps: TaskRoom): Promise<TaskMemory[]> {
  const written: TaskMemory[] = [];
  const pace = createPace(deps.effects);
  const finishes: Finish[] = [];
  for (const pending of deps.ledger.consequences.list()) {
    await pace();
    if (pending.consequence.kind !== 'cancel_subtasks') {
      finishes.push(await finishOf(deps, pending));
      if (finishes.length === MAX_APPENDED) recordFinishes(deps, finishes.splice(0));
      continue;
    }
    // Loaded here: it brings the parser.
    const { cancelSubtasks } = await import('./cancel-subtasks.ts');
    written.push(...(await cancelSubtasks(deps, pending.task, pending.at)));
    deps.ledger.consequences.delete(pending.seq);
  }
  recordFinishes(deps, finishes);
  return written;
}

interface Finish {
  seq: number;
  /** Null when nothing is known of the task any more. */
  line: HistoryLine | null;
  mode: number | null;
}

/** The lines of several finishes wait for the disk together. */
function recordFinishes({ ledger, room }: TaskRoom, finishes: readonly Finish[]): void {
  if (finishes.length === 0) return;
  // The transaction keeps a second process from adding a line between our look and our record.
  ledger.transaction(() => {
    const pending = finishes.filter(({ seq }) => ledger.consequences.get(seq) !== null);
    appendHistory(
      room.historyPath,
      pending.flatMap(({ line, mode }) => (line === null ? [] : [{ line, mode }])),
    );
    for (const { seq } of pending) ledger.consequences.delete(seq);
  });
}

async function finishOf(deps: TaskRoom, pending: PendingConsequence): Promise<Finish> {
  const line = await historyLine(deps, pending);
  return { seq: pending.seq, line, mode: line === null ? null : modeOf(deps, pending) };
}

/** Permissions of the task's file; null when it is not there any more. */
function modeOf({ room }: TaskRoom, { payload }: PendingConsequence): number | null {
  const { path } = JSON.parse(payload) as FinishFacts;
  if (path === null) return null;
  const stat = statSync(room.at(path), { throwIfNoEntry: false });
  return stat === undefined ? null : stat.mode & 0o777;
}

interface FinishFacts {
  path: string | null;
  /** The facts when the finish was seen; null when the file could not be read then. */
  task: Task | null;
}

async function historyLine(
  deps: TaskRoom,
  { at, task: id, payload }: PendingConsequence,
): Promise<HistoryLine | null> {
  const facts = JSON.parse(payload) as FinishFacts;
  const memory = deps.ledger.tasks.get(id);
  const found = await readNow(deps, facts.path, id);
  if (memory === null) return null;
  const {
    path: _p,
    hash: _h,
    oddKeys: _o,
    questions: _q,
    ...snapshot
  } = facts.task ?? found?.task ?? factsFrom(memory);
  const { name, status } = snapshot;
  const task = snakeKeys(snapshot) as HistoryLine['task'];
  return { archived_at: new Date(at).toISOString(), id, name, status, task, text: found?.text ?? '' };
}

/** What is left of a task whose file was broken when it went. */
function factsFrom({ id, name, path, hash, revision, status, paused, owner, parent }: TaskMemory): Task {
  const { checks: _none, ...nothing } = nothingSaid();
  const known = { id, name, path: path ?? '', hash, revision, status, paused, owner, parent };
  return { ...nothing, steps: [], ...known };
}

async function readNow(
  deps: TaskRoom,
  path: string | null,
  id: string,
): Promise<{ task: Task; text: string } | null> {
  if (path === null) return null;
  // Loaded here: most looks find nothing pending, and the parser is heavy.
  const { readFileRow } = await import('./read-file-row.ts');
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text };
}
