// What a turn is told of itself beside its task: how its agent reports, and how the attempt before it ended.
import { join } from 'node:path';
import { faceOf } from '../../core/context/face-of.ts';
import type { PromptAttempt, PromptOptions } from '../../core/context/prompt.ts';
import type { Face, PromptBridge } from '../../core/context/services-section.ts';
import { readProgress } from '../../core/task/body/entries.ts';
import type { Task } from '../../core/task/task.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { DriverOptions } from './driver-options.ts';
import { wroteNothingBefore } from './nothing-written.ts';
import { turnDir } from './turn-folder.ts';

/**
 * By what the agent of a turn reports; where it finds the program and its context. One that reports by tools and may run no
 * programs has no use for either.
 */
export function reportingOf(
  { deps: { room, agents }, bridges: { program } }: Pick<DriverOptions, 'deps' | 'bridges'>,
  turn: Pick<TurnRecord, 'id' | 'agent'>,
): { bridge: PromptBridge | null; face: Face } {
  const agent = agents().get(turn.agent);
  const face = faceOf(agent);
  if (face === 'mcp' && agent?.permissions === 'edit') return { bridge: null, face };
  return { bridge: { program, contextFile: join(turnDir(room, turn.id), 'context.json') }, face };
}

/** @param text the task's file as it stands now: the attempt before left it so, but for what people did since */
export function promptFacts(
  options: Pick<DriverOptions, 'deps' | 'bridges'>,
  turn: TurnRecord,
  task: Task,
  text: string,
): Pick<PromptOptions, 'bridge' | 'face' | 'access' | 'attempt' | 'wroteNothing'> {
  const { deps } = options;
  const attempt = turn.attempt > 1 ? attemptBefore(deps, turn, task, text) : null;
  return {
    ...reportingOf(options, turn),
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
