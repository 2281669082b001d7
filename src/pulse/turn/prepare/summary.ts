// What comes before the agent that sums up old entries of a task: a turn of its own thread, so that the task's turns never wait
// for it. Such a turn starts no other turn and consumes nothing.
import { buildSummaryPrompt, type SummaryContext } from '../../../core/chore/chore-prompt.ts';
import { newTag, summaryOfThread, type TaskId, type TurnId } from '../../../core/ids.ts';
import { oldestEntries } from '../../../core/task/overflow.ts';
import type { TurnRequest } from '../../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import { readFileRow } from '../../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import { atWork } from '../../../tasks/views/agent-folder.ts';
import type { Loop } from '../../state/loop.ts';
import { MAX_SUMMARY_CHARS } from '../finish/summary-end.ts';
import { type LaidOut, type Ready, recordStart } from '../turn-kind.ts';
import { reportingOf } from './task.ts';

/** Share of the bound that stays of the newest entries. */
const KEPT_SHARE = 4;

/** The entries to sum up; null when the record is short enough, or the room wants none. */
export function entriesToSumUp(
  { config }: Pick<TaskRoom, 'config'>,
  task: { remote: string | null },
  text: string,
): string[] | null {
  const { above } = config().dream;
  if (above === null) return null;
  const limits = { atBytes: above, keepBytes: Math.floor(above / KEPT_SHARE) };
  // Progress goes to a tracker as a whole: entries that leave it here would leave it there.
  return oldestEntries(text, limits, task.remote === null ? ['Comments', 'Progress'] : ['Comments']);
}

/** The task's name and its entries to sum up, as its file says them now; null for none. */
export async function readEntriesToSumUp(deps: TaskRoom, id: TaskId) {
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  const entries = entriesToSumUp(deps, row.reading.task, row.text);
  return entries === null ? null : { name: row.reading.task.name, entries };
}

/** The name of the task, and its entries to sum up. */
export interface OldEntries {
  name: string;
  entries: string[];
}

export async function lookAtOldEntries(loop: Loop, { agent, thread }: TurnRequest) {
  const found = loop.agents.find(agent);
  const read = await readEntriesToSumUp(loop.deps, summaryOfThread(thread)!);
  if (typeof found === 'string' || found.agent.runner !== 'command' || read === null) return null;
  return { ...found, read };
}

export function beginSummaryTurn(
  { deps }: Loop,
  { runner, read: { name } }: Ready<OldEntries>,
  request: TurnRequest,
  id: TurnId,
): TurnRecord | null {
  const facts = { attempt: 1, revision: '', description: `old entries of ${name}` };
  return recordStart(deps, request, id, runner, facts);
}

export async function layOutSummary(
  loop: Loop,
  { agent, read: { name, entries } }: Ready<OldEntries>,
  turn: TurnRecord,
): Promise<LaidOut<SummaryContext>> {
  const { deps } = loop;
  const { thread, description } = turn;
  const chore = { name: description, prompt: '', thread_id: thread };
  const context = { chore, dream: { task: summaryOfThread(thread)!, entries } };
  const tag = newTag(deps.effects.randomBytes);
  const prompt = buildSummaryPrompt(context, {
    ...{ tag, name, maxChars: MAX_SUMMARY_CHARS },
    ...reportingOf(loop, turn),
  });
  return { agent: atWork(deps, agent, thread), context, prompt };
}
