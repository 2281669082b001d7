// Carries out what observations decided: the history line of each finish, exactly once, and the end of a canceled task's subtasks.
import { statSync } from 'node:fs';
import { snakeKeys } from '../../core/snake-keys.ts';
import type { Task } from '../../core/task/task.ts';
import { nothingSaid } from '../../core/task/task-keys.ts';
import { createPace } from '../../effects.ts';
import { appendHistory, type HistoryLine, MAX_APPENDED } from '../../store/files/history.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { PendingConsequence } from '../../store/ledger/tasks/waits.ts';
import type { TaskRoom } from '../task-room.ts';

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
  /** Permissions of the task's file; null when it is not there any more. */
  mode: number | null;
}

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
  const found = path === null ? null : await readNow(deps, path, id);
  const stat = path === null ? undefined : statSync(deps.room.at(path), { throwIfNoEntry: false });
  const {
    path: _p,
    hash: _h,
    oddKeys: _o,
    questions: _q,
    ...facts
  } = task ?? found?.task ?? factsFrom(memory);
  const { name, status } = facts;
  const said = snakeKeys(facts) as HistoryLine['task'];
  const line = {
    archived_at: new Date(at).toISOString(),
    id,
    name,
    status,
    task: said,
    text: found?.text ?? '',
  };
  return { seq, line, mode: stat === undefined ? null : stat.mode & 0o777 };
}

/** What is left of a task whose file was broken when it went. */
function factsFrom({ id, name, path, hash, revision, status, paused, owner, parent }: TaskMemory): Task {
  const { checks: _none, ...nothing } = nothingSaid();
  const known = { id, name, path: path ?? '', hash, revision, status, paused, owner, parent };
  return { ...nothing, steps: [], ...known };
}

async function readNow(
  deps: TaskRoom,
  path: string,
  id: string,
): Promise<{ task: Task; text: string } | null> {
  // Loaded here: most looks find nothing pending, and the parser is heavy.
  const { readFileRow } = await import('./read-file-row.ts');
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text };
}
