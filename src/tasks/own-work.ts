// Tasks that a turn makes for its own agent, as a list of what it has to do: the turn settles them itself, and they start
// nothing while it runs. A subtask of the turn's own task is none of these: it is handed over, and its end is waited for.
import { type TaskId, taskOfThread } from '../core/ids.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import { findByRef } from './references.ts';

/** The turn that runs and whose own work a task is; null when none does. */
export function turnOfOwnWork(
  ledger: Ledger,
  { id, owner, parent }: Pick<TaskMemory, 'id' | 'owner' | 'parent'>,
  defaultAgent: string,
): TurnRecord | null {
  const thread = ledger.makers.of(id);
  const turn = thread === null ? null : ledger.turns.runningOn(thread);
  if (turn === null || (owner ?? defaultAgent) !== turn.agent) return null;
  const above = parent === null ? null : findByRef(ledger, parent);
  return above !== null && above.id === taskOfThread(turn.thread) ? null : turn;
}

/** Whether a turn of this thread made the task, for the agent that asks. */
export function isOwnWork(
  ledger: Ledger,
  { id, owner }: { id: TaskId; owner: string | null },
  by: { thread: TurnRecord['thread'] | null; agent: string; defaultAgent: string },
): boolean {
  return by.thread !== null && ledger.makers.of(id) === by.thread && (owner ?? by.defaultAgent) === by.agent;
}
