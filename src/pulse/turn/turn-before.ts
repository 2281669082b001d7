// What a turn is told of itself beside its task: how its agent reports, and how the attempt before it ended.
import { join } from 'node:path';
import type { PromptAttempt, PromptBridge, PromptOptions } from '../../core/context/prompt.ts';
import { readProgress } from '../../core/task/entries.ts';
import type { Task } from '../../core/task/task.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { wroteNothingBefore } from './nothing-written.ts';
import { turnDir } from './turn-folder.ts';

/** Where the agent of a turn finds its program and its context. */
export function bridgePaths({ room }: Pick<TaskRoom, 'room'>, turn: string): PromptBridge {
  const dir = turnDir(room, turn);
  return { program: join(dir, 'bridge', 'taskroom'), contextFile: join(dir, 'context.json') };
}

/** @param text the task's file as it stands now: the attempt before left it so, but for what people did since */
export function promptFacts(
  deps: TaskRoom,
  turn: TurnRecord,
  task: Task,
  text: string,
): Pick<PromptOptions, 'bridge' | 'attempt' | 'wroteNothing'> {
  const attempt = turn.attempt > 1 ? attemptBefore(deps, turn, task, text) : null;
  return {
    bridge: bridgePaths(deps, turn.id),
    wroteNothing: wroteNothingBefore(deps, turn),
    ...(attempt === null ? {} : { attempt }),
  };
}

function attemptBefore(
  { ledger }: TaskRoom,
  { id, thread, attempt }: TurnRecord,
  { steps }: Task,
  text: string,
): PromptAttempt | null {
  const last = ledger.turns.list({ thread, limit: 2 }).find((turn) => turn.id !== id);
  if (last === undefined) return null;
  const entries = readProgress(text);
  const at = entries.findLast((entry) => entry.at !== null)?.at;
  const done = steps.filter((step) => step.done).length;
  const parts = [
    steps.length === 0 ? 'no steps' : `${done} of ${steps.length} steps ticked`,
    entries.length === 0
      ? 'no progress'
      : `${entries.length} progress entries${at ? `, the last of ${at}` : ''}`,
  ];
  const { reason, message } = last;
  const ended = [reason ?? 'interrupted', message ?? ''].filter((part) => part !== '').join(': ');
  return { number: attempt, ended, file: parts.join(' and ') };
}
