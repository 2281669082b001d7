// What the prompt of a turn says of the turn beside its subject: how its agent reports, the attempt before, its checks.
import type { PromptChecks } from '../../../core/context/around-section.ts';
import type { PromptOptions } from '../../../core/context/prompt.ts';
import { type Face, faceOf, type PromptBridge } from '../../../core/context/services-section.ts';
import { readProgress } from '../../../core/task/body/entries.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { Loop } from '../../state/loop.ts';
import { type TaskText, wroteNothingBefore } from '../task-file.ts';
import { contextFile } from '../turn-folder.ts';

/** How the agent of a turn reports. One that reports by tools and may run no programs has no use for program and context file. */
export function reportingOf(
  { deps: { room, agents }, bridges: { program } }: Pick<Loop, 'deps' | 'bridges'>,
  turn: Pick<TurnRecord, 'id' | 'agent'>,
): { bridge: PromptBridge | null; face: Face } {
  const agent = agents().get(turn.agent);
  const face = faceOf(agent);
  if (face === 'mcp' && agent?.permissions === 'edit') return { bridge: null, face };
  return { bridge: { program, contextFile: contextFile(room, turn.id) }, face };
}

/** @param read the task's file as it stands now: the attempt before left it so, but for what people did since */
export function promptFacts(loop: Loop, turn: TurnRecord, read: TaskText) {
  const { deps } = loop;
  return {
    ...reportingOf(loop, turn),
    access: deps.agents().get(turn.agent)?.access ?? 'readonly',
    wroteNothing: wroteNothingBefore(deps, turn),
    ...(turn.attempt < 2 ? {} : attemptBefore(deps, turn, read)),
    ...checksOf(deps, turn),
  };
}

function attemptBefore(
  { ledger }: TaskRoom,
  { id, thread, attempt }: TurnRecord,
  { task: { steps }, text }: TaskText,
): Pick<PromptOptions, 'attempt'> {
  const last = ledger.turns.list({ thread, limit: 2 }).find((turn) => turn.id !== id);
  if (last === undefined) return {};
  const entries = readProgress(text);
  const at = entries.findLast((entry) => entry.at !== null)?.at;
  const done = steps.filter((step) => step.done).length;
  const ticked = steps.length === 0 ? 'no steps' : `${done} of ${steps.length} steps ticked`;
  const progress =
    entries.length === 0
      ? 'no progress'
      : `${entries.length} progress entries${at ? `, the last of ${at}` : ''}`;
  const ended = [last.reason ?? 'interrupted', last.message ?? ''].filter((part) => part !== '').join(': ');
  return { attempt: { number: attempt, ended, file: `${ticked} and ${progress}` } };
}

function checksOf({ ledger, config }: TaskRoom, turn: TurnRecord): { checks?: PromptChecks } {
  const checks = ledger.checks.get(turn.id);
  if (checks === null) return {};
  const before = ledger.checks.before(checks.task, turn.id);
  const hasFailed = before?.state === 'failed' || before?.state === 'gave_up';
  const failed = (hasFailed ? before.results.at(-1) : undefined) ?? null;
  const { commands, failures } = checks;
  return { checks: { commands, failed, failures, maxRounds: config().maxCheckRounds } };
}
