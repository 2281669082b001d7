// The way out of a turn that summed up: the old entries go to the spill folder, then the summary takes their place, in one
// write that comes to nothing where somebody changed them meanwhile. Then the turn is recorded as over.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DreamContext, SUMMARY_FILE } from '../../core/chore/dream-prompt.ts';
import { isPassing, isRoomError } from '../../core/errors.ts';
import { dreamOfThread, type TaskId, threadOfTask } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import type { Outcome } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { DriverOptions } from '../turn/driver-options.ts';
import { recordLimit, waitAfter } from '../turn/limit-met.ts';
import { workHash } from '../turn/nothing-written.ts';
import type { TurnResult } from '../turn/turn-contract.ts';
import { turnDir, writeTurnResult } from '../turn/turn-folder.ts';
import { endEvent, endTurn, type RunEnd, recordDurably, resultOf, unseenEnd } from '../turn/turn-run.ts';

export type DreamDriverOptions = Pick<
  DriverOptions,
  'deps' | 'agents' | 'bridges' | 'feedback' | 'isStopping' | 'onTrouble'
>;

/** What is kept of a summary. */
export const MAX_SUMMARY_CHARS = 6_000;

/** Records that the turn was lost with its runtime; nothing of the file was touched. */
export async function interruptDream(
  options: DreamDriverOptions,
  turn: TurnRecord,
  fault?: string,
): Promise<TurnResult> {
  return record(options, turn, unseenEnd(fault));
}

/** Puts the summary in place where there is one, and records the end. While disk or ledger refuse, it is tried again. */
export function finishDurably(
  options: DreamDriverOptions,
  turn: TurnRecord,
  end: RunEnd,
  context: DreamContext | null = null,
): Promise<TurnResult> {
  return recordDurably(options, async () => {
    const outcome =
      end.outcome.state === 'completed' && context !== null
        ? await putInPlace(options, turn, end.outcome, context)
        : end.outcome;
    writeTurnResult(options.deps.room, turn.id, outcome, options.deps.effects.now());
    return record(options, turn, { ...end, outcome });
  });
}

async function putInPlace(
  options: DreamDriverOptions,
  turn: TurnRecord,
  outcome: Outcome,
  { dream }: DreamContext,
): Promise<Outcome> {
  const { deps } = options;
  const summary = readSummary(join(turnDir(deps.room, turn.id), 'bridge', SUMMARY_FILE));
  const size = dream.entries.join('').length;
  if (summary === '') return failed(outcome, 'it wrote no summary');
  if (summary.length >= size) return failed(outcome, 'its summary is longer than what it sums up');
  const id = dreamOfThread(turn.thread)!;
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  if (path === null) return failed(outcome, 'the task is gone');
  const count = dream.entries.length;
  const text = `Summary of ${count} older entries, which lie in .taskroom/spill/${id}.md: ${summary}`;
  const block = asNote(formatProgress({ atMs: deps.effects.now(), text }));
  const key = `${turn.id}:summary`;
  // A crash after the write left its key: it is not done twice.
  if (deps.writer.known(key)?.written) return outcome;
  try {
    const append = [{ section: 'Progress' as const, block, key }];
    const change = { actor: 'runtime', task: id, moveOut: dream.entries, append };
    const { before, after } = await deps.writer.edit(path, change);
    keepSilenceTold(options, id, before, after);
  } catch (error) {
    if (!isRoomError(error) || isPassing(error)) throw error;
    return failed(outcome, error.message);
  }
  await options.feedback.lookAtTask(id);
  return outcome;
}

/** A turn of the task that runs meanwhile and writes nothing has still written nothing. */
function keepSilenceTold({ deps }: DreamDriverOptions, id: TaskId, before: string, after: string): void {
  const { turns } = deps.ledger;
  const turn = turns.runningOn(threadOfTask(id));
  if (turn !== null && turns.workHash(turn.id) === workHash(before))
    turns.update(turn.id, { workHash: workHash(after) });
}

function readSummary(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().slice(0, MAX_SUMMARY_CHARS);
  } catch {
    // It was not written, or is no file.
    return '';
  }
}

function failed(outcome: Outcome, message: string): Outcome {
  return { ...outcome, state: 'failed', reason: 'exit', message };
}

function record({ deps }: DreamDriverOptions, turn: TurnRecord, end: RunEnd): TurnResult {
  const { outcome } = end;
  const endedAt = deps.effects.now();
  const wait = waitAfter(deps, turn, outcome);
  const isFirst = endTurn(deps.ledger, turn.id, { ...outcome, until: wait?.until ?? null, endedAt }, () =>
    recordLimit(deps, turn, outcome, wait),
  );
  if (isFirst) deps.events.emit(endEvent(turn, outcome, endedAt, { id: null, name: turn.description }));
  return resultOf(end);
}
