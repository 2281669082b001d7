// What a turn is told of itself beside its task: how its agent reports, and how the attempt before it ended.
import { join } from 'node:path';
import { faceOf } from '../../core/context/face-of.ts';
import type { PromptAttempt, PromptOptions } from '../../core/context/prompt.ts';
import type { Face, PromptBridge } from '../../core/context/services-section.ts';
import { readProgress } from '../../core/task/body/entries.ts';
import type { Task } from '../../core/task/task.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { wroteNothingBefore } from './nothing-written.ts';
import { turnDir } from './turn-folder.ts';

/** Where the agent of a turn finds its program and its context, and by what it reports. */
export function reportingOf(
  { room, agents }: Pick<TaskRoom, 'room' | 'agents'>,
  turn: Pick<TurnRecord, 'id' | 'agent'>,
): { bridge: PromptBridge; face: Face } {
  const dir = turnDir(room, turn.id);
  const bridge = { program: join(dir, 'bridge', 'taskroom'), contextFile: join(dir, 'context.json') };
  return { bridge, face: faceOf(agents().get(turn.agent)) };
}

/** @param text the task's file as it stands now: the attempt before left it so, but for what people did since */
export function promptFacts(
  deps: TaskRoom,
  turn: TurnRecord,
  task: Task,
  text: string,
): Pick<PromptOptions, 'bridge' | 'face' | 'access' | 'attempt' | 'wroteNothing'> {
  const attempt = turn.attempt > 1 ? attemptBefore(deps, turn, task, text) : null;
  return {
    ...reportingOf(deps, turn),
    access: deps.agents().get(turn.agent)?.access ?? 'readonly',
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
