// Puts a summary in the place of the old entries that it sums up. One write moves those to the overflow folder; it changes nothing
// where somebody changed the entries meanwhile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../../agents/runner.ts';
import { SUMMARY_FILE, type SummaryContext } from '../../../core/chore/chore-prompt.ts';
import { isPassing, isRoomError, valueOr } from '../../../core/errors.ts';
import { summaryOfThread, type TaskId, threadOfTask } from '../../../core/ids.ts';
import { asNote, formatProgress } from '../../../core/task/body/entries.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { Loop } from '../../state/loop.ts';
import { workHash } from '../task-file.ts';
import { turnDir } from '../turn-folder.ts';
import type { Ending, Ran, RunEnd } from '../turn-kind.ts';

/** What is kept of a summary. */
export const MAX_SUMMARY_CHARS = 6_000;

export async function endSummaryTurn(
  loop: Loop,
  turn: TurnRecord,
  end: RunEnd,
  ran: Ran<SummaryContext> | null,
): Promise<Ending> {
  const isWritten = end.outcome.state === 'completed' && ran !== null;
  const outcome = isWritten ? await putInPlace(loop, turn, end.outcome, ran.context) : end.outcome;
  return { outcome, settle: () => ({ outcome }) };
}

async function putInPlace(
  loop: Loop,
  turn: TurnRecord,
  outcome: Outcome,
  { dream: { entries } }: SummaryContext,
): Promise<Outcome> {
  const { deps } = loop;
  const failed = (message: string): Outcome => ({ ...outcome, state: 'failed', reason: 'exit', message });
  const summary = readSummary(join(turnDir(deps.room, turn.id), 'bridge', SUMMARY_FILE));
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

function readSummary(path: string): string {
  // It was not written, or is no file.
  return valueOr('', () => readFileSync(path, 'utf8').trim().slice(0, MAX_SUMMARY_CHARS));
}
