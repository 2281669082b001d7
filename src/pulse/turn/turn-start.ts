// The way into a turn: the file is looked at again, reconciled with the request, and the turn put on record.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { setKey } from '../../core/document/document.ts';
import type { TaskId } from '../../core/ids.ts';
import { decide } from '../../core/rules/decide.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { budgetPause } from '../../core/rules/turn-end.ts';
import { readTask } from '../../core/task/read-task.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { Runner } from '../../runners/runner.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { recordReadingSoon } from '../../tasks/observe/observer.ts';
import { type ReadRow, readFileRow } from '../../tasks/observe/read-file-row.ts';
import { usedUpBudget } from '../../tasks/task-budget.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { beginChecks } from './checks.ts';
import type { DriverOptions } from './driver-options.ts';
import { beginTurn } from './turn-run.ts';

/** A task and the text that says it. */
export interface TaskText {
  task: Task;
  text: string;
}

/** The file as it stands now, observed; null when it is gone, invalid or another task's. */
export async function lookAgain(options: DriverOptions, id: TaskId): Promise<TaskText | null> {
  const path = options.deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await observe(options, path);
  if (row === null || !row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text };
}

const MOST_READINGS = 5;

/** Reads the file and records what it says; null when it is gone or keeps changing. */
async function observe({ deps, feedback }: DriverOptions, path: string): Promise<ReadRow | null> {
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const row = await readFileRow(deps, path);
    if (row === null || row === 'unstable') return null;
    const observation = await recordReadingSoon(deps, row);
    if (observation === null) continue;
    feedback.observed(observation);
    return row;
  }
  return null;
}

// Reconcile before dispatch: a task that was paused, blocked or finished meanwhile does not start.
export function stillDue(deps: TaskRoom, id: TaskId, request: TurnRequest): boolean {
  const memory = deps.ledger.tasks.get(id)!;
  const { status, paused, blocked, revision, consumed, attempted } = memory;
  const wakes = request.forced ? [...request.reasons, 'run_forced' as const] : request.reasons;
  const waiting = deps.ledger.questions.isWaiting(id);
  const facts = { status, paused, blocked, waiting, revision, consumed, attempted, wakes };
  const now = deps.effects.now();
  const decision = decide({
    ...facts,
    agentProblem: whyUnsaid(deps, id),
    retryAt: now,
    held: false,
    running: false,
    inTurn: false,
    editedOutside: true,
    now,
  });
  return decision.due;
}

export async function overLoopGuard(
  options: DriverOptions,
  id: TaskId,
  request: TurnRequest,
): Promise<boolean> {
  const { deps } = options;
  const { loops } = deps.ledger.tasks.get(id)!;
  const limit = deps.config().loopGuard;
  if (request.outside || limit === 0 || loops < limit) return false;
  const reason = `${loops} turns in a row had no cause but the task's own last turn or the heartbeat; resume it when that is right`;
  await options.tasks.call('pause', { ref: id, reason }, { kind: 'runtime' });
  deps.ledger.tasks.update(id, { loops: 0 });
  return true;
}

/** Pauses a task whose own budget is used up; a person's force outweighs it. */
export async function overBudget(
  { deps, tasks }: DriverOptions,
  id: TaskId,
  { forced }: TurnRequest,
): Promise<boolean> {
  const usedUp = forced ? null : usedUpBudget(deps, id, 'next');
  if (usedUp !== null)
    await tasks.call('pause', { ref: id, reason: budgetPause(usedUp) }, { kind: 'runtime' });
  return usedUp !== null;
}

/** Puts the turn on record; null when its request is gone. What it counts from is read in the same commit. */
export async function begin(
  { deps }: DriverOptions,
  id: TaskId,
  request: TurnRequest,
  running: RunningTurn,
  found: { agent: AgentConfig; runner: Runner },
  task: Task,
): Promise<TurnRecord | null> {
  const { tasks, questions } = deps.ledger;
  return deps.ledger.together(() => {
    const memory = tasks.get(id)!;
    const turn = beginTurn(deps, request, running, found.runner, {
      attempt: (memory.attempted === task.revision ? memory.attempts : 0) + 1,
      revision: task.revision,
      description: task.title ?? task.name,
    });
    if (turn === null) return null;
    const loops = request.outside ? 0 : memory.loops + (request.reasons.includes('retry') ? 0 : 1);
    tasks.update(id, { loops, retryAt: null });
    beginChecks(deps, turn.id, task, request.agent);
    questions.show(id, turn.id);
    return turn;
  });
}

/** Marks the task doing, unless it was finished meanwhile; returns the file as it stands then. */
export async function markDoing(options: DriverOptions, read: TaskText): Promise<TaskText> {
  const { deps } = options;
  const { path, id, status } = read.task;
  const isHeld = id !== null && status === 'done' && deps.ledger.tasks.get(id)?.status !== 'done';
  if (status === 'doing') return read;
  await deps.writer.edit(path, { actor: 'runtime', task: id, edit: (text) => asDoing(path, text, isHeld) });
  const row = await observe(options, path);
  return row?.reading.ok ? { task: row.reading.task, text: row.text } : read;
}

function asDoing(path: string, text: string, isHeld: boolean): string {
  const reading = readTask(path, text);
  // A done that its checks never let count is no end.
  return reading.ok && (isHeld || !isFinished(reading.task.status))
    ? setKey(text, 'status', 'doing', path)
    : text;
}
