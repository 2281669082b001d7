// Turns that sum up a task's old entries. Such a turn has no task of its own: it starts no other turn, consumes nothing, and what it
// changes of the task's file is the runtime's own writing: the old entries go to the overflow folder, then the summary takes
// their place, in one write that comes to nothing where somebody changed them meanwhile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../agents/runner.ts';
import { buildDreamPrompt, type DreamContext, SUMMARY_FILE } from '../../core/chore/dream-prompt.ts';
import { isPassing, isRoomError } from '../../core/errors.ts';
import { dreamOfThread, newTag, type TaskId, threadOfTask } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Base } from '../base.ts';
import { type Begun, createTurnDriver, type TurnDriver } from './drive-turn.ts';
import { recordEnd, resultOf, tellEnd } from './record-end.ts';
import { beginTurn } from './run-record.ts';
import { readEntriesToSumUp } from './summaries.ts';
import { workHash } from './task-file.ts';
import { reportingOf } from './task-prompt.ts';
import { turnDir, writeTurnFolder, writeTurnResult } from './turn-folder.ts';

/** What is kept of a summary. */
const MAX_SUMMARY_CHARS = 6_000;

/** Drives turns that sum up. */
export function createSummaryDriver(base: Base): TurnDriver {
  const { deps } = base;
  const named = ({ description }: TurnRecord) => ({ id: null, name: description });
  return createTurnDriver<Begun & { name: string; entries: string[] }, DreamContext>(base, {
    async begin(request, running) {
      const found = base.agents.find(request.agent);
      const old = await readEntriesToSumUp(deps, dreamOfThread(request.thread)!);
      if (typeof found === 'string' || found.agent.runner !== 'command' || old === null) {
        deps.ledger.requests.drop(request.thread);
        return null;
      }
      const facts = { attempt: 1, revision: '', description: `old entries of ${old.name}` };
      const turn = await deps.ledger.together(() => beginTurn(deps, request, running, found.runner, facts));
      return turn === null ? null : { turn, ...found, ...old };
    },
    async layOut({ turn, agent, name, entries }) {
      const context = {
        chore: { name: turn.description, prompt: '', thread_id: turn.thread },
        dream: { task: dreamOfThread(turn.thread)!, entries },
      };
      const tag = newTag(deps.effects.randomBytes);
      const told = { tag, name, maxChars: MAX_SUMMARY_CHARS, ...reportingOf(base, turn) };
      const prompt = buildDreamPrompt(context, told);
      writeTurnFolder(deps.room, turn.id, context, prompt);
      return { agent: atWork(deps, agent, turn.thread), context, prompt };
    },
    named,
    subject: ({ description }, _agent, context) => ({ chore: { name: description, prompt: '' }, context }),
    // What it read before is no part of the record any more.
    forgets: true,
    async end(turn, end, ran) {
      const isWritten = end.outcome.state === 'completed' && ran !== null;
      const outcome = isWritten ? await putInPlace(base, turn, end.outcome, ran.context) : end.outcome;
      if (end.isSeen) writeTurnResult(base, turn.id, outcome);
      tellEnd(deps, turn, recordEnd(deps, turn, outcome), named(turn));
      return resultOf({ ...end, outcome });
    },
  });
}

async function putInPlace(
  base: Base,
  turn: TurnRecord,
  outcome: Outcome,
  { dream: { entries } }: DreamContext,
): Promise<Outcome> {
  const { deps } = base;
  const failed = (message: string): Outcome => ({ ...outcome, state: 'failed', reason: 'exit', message });
  const summary = readSummary(join(turnDir(deps.room, turn.id), 'bridge', SUMMARY_FILE));
  if (summary === '') return failed('it wrote no summary');
  if (summary.length >= entries.join('').length) return failed('its summary is longer than what it sums up');
  const id = dreamOfThread(turn.thread)!;
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
    keepSilenceTold(base, id, before, after);
  } catch (error) {
    if (!isRoomError(error) || isPassing(error)) throw error;
    return failed(error.message);
  }
  await base.dirtyPaths.lookAtTask(id);
  return outcome;
}

/** A turn of the task that runs meanwhile and writes nothing has still written nothing. */
function keepSilenceTold({ deps }: Base, id: TaskId, before: string, after: string): void {
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
