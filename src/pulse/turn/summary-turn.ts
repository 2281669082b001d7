// Summaries of old entries, for tasks whose record has grown too long: turns of their own thread, so that the task's turns never
// wait for them. Such a turn starts no other turn and consumes nothing. One write moves the old entries to the overflow folder and
// puts the summary in their place; it changes nothing where somebody changed the entries meanwhile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../agents/runner.ts';
import { buildSummaryPrompt, SUMMARY_FILE, type SummaryContext } from '../../core/chore/chore-prompt.ts';
import { isPassing, isRoomError, RoomError } from '../../core/errors.ts';
import {
  newTag,
  newTurnId,
  summaryOfThread,
  type TaskId,
  threadOfSummary,
  threadOfTask,
} from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import { oldestEntries } from '../../core/task/overflow.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Base } from '../base.ts';
import type { TurnKind } from './drive-turn.ts';
import { workHash } from './task-file.ts';
import { reportingOf, turnDir } from './turn-folder.ts';

/** Share of the bound that stays of the newest entries. */
const KEPT_SHARE = 4;
/** After one that failed. */
const REST_MS = 60 * 60_000;
const PRIORITY = 2;

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
export async function readEntriesToSumUp(
  deps: TaskRoom,
  id: TaskId,
): Promise<{ name: string; entries: string[] } | null> {
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  const entries = entriesToSumUp(deps, row.reading.task, row.text);
  return entries === null ? null : { name: row.reading.task.name, entries };
}

/** The agent that sums up; null where none may: a runbook has no words of its own. */
export function summaryAgent({ config, agents }: Pick<TaskRoom, 'config' | 'agents'>): string | null {
  const { above, agent } = config().dream;
  const id = agent ?? config().defaultAgent;
  return above !== null && agents().get(id)?.runner === 'command' ? id : null;
}

export function createSummaries(
  { deps, during, onTrouble }: Pick<Base, 'deps' | 'during' | 'onTrouble'>,
  scheduler: { requested(): void },
) {
  const { ledger, effects } = deps;

  async function ask(id: TaskId): Promise<void> {
    const agent = summaryAgent(deps);
    const memory = ledger.tasks.get(id);
    if (agent === null || memory === null || memory.path === null || isFinished(memory.status)) return;
    if ((ledger.files.get(memory.path)?.stamp.size ?? 0) < deps.config().dream.above! || rests(id)) return;
    if ((await readEntriesToSumUp(deps, id)) === null) return;
    ledger.requests.add({
      ...{
        id: newTurnId('summary', effects.randomBytes),
        thread: threadOfSummary(id),
        origin: 'chore',
        agent,
      },
      ...{ reasons: ['scheduled'], priority: PRIORITY, forced: false, outside: false },
      askedAt: effects.now(),
    });
    scheduler.requested();
  }

  function rests(id: TaskId): boolean {
    if (ledger.turns.runningOn(threadOfTask(id)) !== null) return true;
    const [last] = ledger.turns.list({ thread: threadOfSummary(id), limit: 1 });
    if (last === undefined || last.state === 'completed') return false;
    if (last.state === 'running') return true;
    const isOwnFault =
      last.reason !== 'rate_limited' && last.reason !== 'budget' && last.reason !== 'interrupted';
    return isOwnFault && effects.now() - (last.endedAt ?? 0) < REST_MS;
  }

  /** Asks for the task's summary where its record is too long. Never rejects. */
  const look = (id: TaskId): Promise<void> => during(() => ask(id).catch(onTrouble));

  return {
    look,
    /** The same for every open task. */
    async lookAtAll(): Promise<void> {
      const { above, agent } = deps.config().dream;
      if (above === null) return;
      if (summaryAgent(deps) === null) return onTrouble(noSummaryAgent(agent ?? deps.config().defaultAgent));
      for (const { id } of ledger.tasks.withStatus(['todo', 'doing'])) await look(id);
    },
  };
}

function noSummaryAgent(agent: string): RoomError {
  const message = `no old entries are summed up: ${agent} is no agent of the runner command`;
  return new RoomError('bad_input', message, { hint: 'name one as "agent" under "dream" in room.yaml' });
}

/** What is kept of a summary. */
const MAX_SUMMARY_CHARS = 6_000;

export function createSummaryKind(base: Base): TurnKind<SummaryContext> {
  const { deps } = base;
  return {
    async look({ agent, thread }) {
      const found = base.agents.find(agent);
      const old = await readEntriesToSumUp(deps, summaryOfThread(thread)!);
      if (typeof found === 'string' || found.agent.runner !== 'command' || old === null) return null;
      const { name, entries } = old;
      return {
        ...found,
        facts: () => ({ attempt: 1, revision: '', description: `old entries of ${name}` }),
        async layOut(turn) {
          const chore = { name: turn.description, prompt: '', thread_id: thread };
          const context = { chore, dream: { task: summaryOfThread(thread)!, entries } };
          const tag = newTag(deps.effects.randomBytes);
          const told = { tag, name, maxChars: MAX_SUMMARY_CHARS, ...reportingOf(base, turn) };
          const prompt = buildSummaryPrompt(context, told);
          return { agent: atWork(deps, found.agent, thread), context, prompt };
        },
      };
    },
    subject: ({ description }, _agent, context) => ({ chore: { name: description, prompt: '' }, context }),
    // What it read before is no part of the record any more.
    forgets: true,
    async end(turn, end, ran) {
      const isWritten = end.outcome.state === 'completed' && ran !== null;
      const outcome = isWritten ? await putInPlace(base, turn, end.outcome, ran.context) : end.outcome;
      return { outcome, settle: () => ({ outcome }) };
    },
  };
}

async function putInPlace(
  base: Base,
  turn: TurnRecord,
  outcome: Outcome,
  { dream: { entries } }: SummaryContext,
): Promise<Outcome> {
  const { deps } = base;
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
  if (turn !== null && turns.reporting(turn.id)?.workHash === workHash(before))
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
