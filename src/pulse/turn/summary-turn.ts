// A turn of its own thread that sums up old entries of a task, so that the task's turns never wait for it; it starts no other turn and
// consumes nothing. Its summary is put in the place of those entries: one write moves them to the overflow folder, and changes nothing
// where somebody changed the entries meanwhile.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../agents/runner.ts';
import { buildSummaryPrompt, SUMMARY_FILE, type SummaryContext } from '../../core/chore/chore-prompt.ts';
import { isPassing, isRoomError, valueOr } from '../../core/errors.ts';
import { newTag, summaryOfThread, type TaskId, threadOfTask } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import { oldestEntries } from '../../core/task/overflow.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { readAsTask } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Loop } from '../state/loop.ts';
import { reportingOf } from './prepare/task.ts';
import { turnDir, workHash } from './turn-files.ts';
import { recordStart, type TurnKind } from './turn-kind.ts';

const KEPT_SHARE = 4; // Share of the bound that stays of the newest entries.

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
  const read = path === null ? null : await readAsTask(deps, path, id);
  const entries = read && entriesToSumUp(deps, read.task, read.text);
  return read && entries && { name: read.task.name, entries };
}

type OldEntries = NonNullable<Awaited<ReturnType<typeof readEntriesToSumUp>>>;

export const SUMMARY: TurnKind<SummaryContext, OldEntries> = {
  async look(loop, { agent, thread }) {
    const found = loop.agents.find(agent);
    const read = await readEntriesToSumUp(loop.deps, summaryOfThread(thread)!);
    if (typeof found === 'string' || found.agent.runner !== 'command' || read === null) return null;
    return { ...found, read };
  },
  begin({ deps }, { runner, read: { name } }, request) {
    const facts = { attempt: 1, revision: '', description: `old entries of ${name}` };
    return recordStart(deps, request, runner, facts);
  },
  async layOut(loop, { agent, read: { name, entries } }, turn) {
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
  },
  subject: (_loop, { description }, _agent, context) => ({
    chore: { name: description, prompt: '' },
    context,
  }),
  // What it read before is no part of the record any more.
  forgets: true,
  async end(loop, turn, end, ran) {
    const isWritten = end.outcome.state === 'completed' && ran !== null;
    const outcome = isWritten
      ? await putInPlace(loop, turn, end.outcome, ran.context.dream.entries)
      : end.outcome;
    return { outcome, settle: () => ({ outcome }) };
  },
};

const MAX_SUMMARY_CHARS = 6_000;

async function putInPlace(loop: Loop, turn: TurnRecord, outcome: Outcome, entries: readonly string[]) {
  const { deps } = loop;
  const failed = (message: string): Outcome => ({ ...outcome, state: 'failed', reason: 'exit', message });
  const written = join(turnDir(deps.room, turn.id), 'bridge', SUMMARY_FILE);
  // It was not written, or is no file.
  const summary = valueOr('', () => readFileSync(written, 'utf8').trim().slice(0, MAX_SUMMARY_CHARS));
  if (summary === '') return failed('it wrote no summary');
  if (summary.length >= entries.join('').length) return failed('its summary is longer than what it sums up');
  const id = summaryOfThread(turn.thread)!;
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  if (path === null) return failed('the task is gone');
  const text = `Summary of ${entries.length} older entries, which lie in .taskroom/spill/${id}.md: ${summary}`;
  const block = asNote(formatProgress({ atMs: deps.effects.now(), text }));
  const key = `${turn.id}:summary`;
  // A crash after the write left its key: it is not done twice.
  if (deps.writer.known(key)?.written) return outcome;
  try {
    const append = [{ section: 'Progress' as const, block, key }];
    const change = { actor: 'runtime', task: id, moveOut: entries, append };
    const { before, after } = await deps.writer.edit(path, change);
    keepUnwritten(loop, id, before, after);
  } catch (error) {
    if (!isRoomError(error) || isPassing(error)) throw error;
    return failed(error.message);
  }
  await loop.dirtyPaths.pushTask(id);
  return outcome;
}

/** A turn of the task that runs meanwhile and writes nothing has still written nothing. */
function keepUnwritten({ deps }: Loop, id: TaskId, before: string, after: string): void {
  const { turns } = deps.ledger;
  const turn = turns.runningOn(threadOfTask(id));
  if (turn !== null && turns.reporting(turn.id)?.workHash === workHash(before))
    turns.update(turn.id, { workHash: workHash(after) });
}
