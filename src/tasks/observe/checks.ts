// What an observation means for checks: whose words they are, and whether a new done counts yet. One that does not is held.
import { threadOfTask } from '../../core/ids.ts';
import { doneCounts } from '../../core/rules/checks.ts';
import type { Task } from '../../core/task/task.ts';
import { rememberChecks } from '../../store/files/trusted-words.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { FileRow } from '../../store/ledger/tasks/files.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';

/** Takes in what a file says about checks, before it is observed as a task. */
export function takeInChecks(ledger: Ledger, { path, hash, stamp }: FileRow, task: Task): void {
  const now = task.checks ?? [];
  if (now.length === 0 && ledger.saidWords.get(`task:${task.id}`) === null) return;
  const isOwnWrite = ledger.writes.isOurs(path, hash);
  const file = { changedAtMs: stamp.ctimeMs, isOwnWrite, isOthers: isOthers(task) };
  if (task.id === null) return rememberChecks(ledger, `path:${path}`, now, file);
  const source = `task:${task.id}` as const;
  const before = ledger.saidWords.get(source) === null ? ledger.saidWords.get(`path:${path}`) : null;
  // It was seen before the runtime wrote an id into it.
  if (before !== null && now.length > 0) {
    ledger.saidWords.put({ ...before, source });
    ledger.saidWords.put({ source: `path:${path}`, said: [], seen: [] });
  }
  rememberChecks(ledger, source, now, file);
}

/** A file that a mirror or an agent made names no checks; what a person adds to it later does. */
function isOthers({ requester, createdBy }: Task): boolean {
  return requester !== 'owner' || createdBy?.startsWith('agent:') === true;
}

/** The task as it counts: a done that must wait for its checks is the status of before. */
export function asItCounts(ledger: Ledger, memory: TaskMemory, task: Task): { task: Task; held: boolean } {
  const newest = ledger.checks.newest(memory.id);
  if (newest === null || memory.status === 'done') return { task, held: false };
  const { turn, state } = newest;
  if (task.status !== 'done') {
    if (state === 'held') ledger.checks.update(turn, { state: 'open' });
    return { task, held: false };
  }
  const isRunning = ledger.turns.runningOn(threadOfTask(memory.id))?.id === turn;
  const isWaived = ledger.checks.waiverSince(memory.id, newest.beganAt) !== null;
  const checks = { state, commands: newest.commands.length, isRunning };
  if (doneCounts({ checks, isWaived })) {
    if (isWaived) ledger.checks.update(turn, { state: 'waived' });
    return { task, held: false };
  }
  // One that failed is about to be sent back.
  if (state === 'open') ledger.checks.update(turn, { state: 'held' });
  // Whoever looks next looks at it anew: it may count by then.
  ledger.files.setObserved(task.path, false);
  return { task: { ...task, status: memory.status }, held: true };
}
