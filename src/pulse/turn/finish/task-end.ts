// The end of a task's turn: its checks are run to their verdict, what must stand in the file is written, and then the end is recorded
// together with what it means for the task. A crash between repeats the first and does the second once.
import { type Outcome, StopTurn } from '../../../agents/runner.ts';
import type { TurnContext } from '../../../core/context/context-shape.ts';
import { type TaskId, taskOfThread } from '../../../core/ids.ts';
import { type CheckResult, describeCheck, endOfFailedChecks } from '../../../core/rules/checks.ts';
import type { TurnReason } from '../../../core/rules/turn.ts';
import type { TurnEndInput, TurnEndResult } from '../../../core/rules/turn-end.ts';
import { endOfTurn, waitsForAgent } from '../../../core/rules/turn-end.ts';
import { fenceOutput } from '../../../core/task/body/foreign-text.ts';
import { isFinished } from '../../../core/task/status.ts';
import type { TurnChecks } from '../../../store/ledger/tasks/waits.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import { usedUpBudget } from '../../../tasks/obstacles.ts';
import type { Loop } from '../../state/loop.ts';
import {
  lookAgain,
  noteInFile,
  putStatusBack,
  turnDir,
  workHash,
  wroteNothingBefore,
} from '../turn-files.ts';
import { endsInARow, type Ran, type RunEnd, subjectOf, type TurnKind } from '../turn-kind.ts';

type Checking = Pick<Ran<unknown>, 'agent' | 'slot'> | null;
/** `failed`: the last check of a turn whose task says done, and how many rounds failed in a row. */
type Verdict = { failed: CheckResult; failures: number } | null;
/** The loop stops: the turn stays on record as running, and the next start runs its checks anew. */
const CUT = Symbol('cut');

/** What the end of a turn is judged by, beside how its agent ended. */
type Seen = { isSilent: boolean; verdict: Verdict };

/** @param checking what its checks are run with; null where the turn never ran here */
export const endTaskTurn: TurnKind<TurnContext, unknown>['end'] = async (loop, turn, end, checking) => {
  const { deps, dirtyPaths } = loop;
  const id = taskOfThread(turn.thread)!;
  const seen: Seen = { isSilent: false, verdict: null };
  if (end.isSeen) {
    // What the agent wrote last is observed first: its "done" comes before the end of its turn.
    await dirtyPaths.pushTask(id);
    // Before our own note of it changes the file.
    seen.isSilent = await isSilent(loop, turn);
    const verdict = await settleChecks(loop, turn, end, checking);
    if (verdict === CUT) return null;
    seen.verdict = verdict;
    await noteChanges(loop, turn, id);
  }
  const { reason } = end.outcome;
  if (reason === 'refused' || reason === 'not_started' || end.retryAt !== undefined)
    await putStatusBack(loop, turn);
  // The pause is written into the file before the turn is recorded as over: a crash between repeats both, by its key.
  const meaning = end.retryAt === undefined ? meaningOf(loop, turn, end, seen) : null;
  if (meaning?.pause != null) await noteInFile(loop, turn, { pause: meaning.pause });
  else if (meaning?.note != null)
    await noteInFile(loop, turn, { text: meaning.note, key: `${turn.id}:note` });
  let retryAt: number | null = null;
  return {
    outcome: asMeant(end.outcome, meaning),
    settle() {
      // Computed anew, from what the ledger says now.
      const now = meaningOf(loop, turn, end, seen);
      const outcome = asMeant(end.outcome, now);
      retryAt = now?.memory.retryAt ?? null;
      const also = (endedAt: number) => void (now && recordMeaning(loop, turn, end, seen, now, endedAt));
      return { outcome, also };
    },
    recorded(result) {
      if (retryAt === null || result === 'interrupted') return;
      const { name } = subjectOf(deps, turn);
      const attempt = turn.attempt + Number(reason !== 'not_started');
      deps.events.emit({ type: 'turn.retrying', id, name, attempt, retryAt });
    },
  };
};

/** Whether a turn whose agent was to write reported nothing, and its task's file can be read and says nothing new of the work. */
async function isSilent(loop: Loop, turn: TurnRecord): Promise<boolean> {
  const { ledger, agents } = loop.deps;
  const agent = agents().get(turn.agent);
  if (
    agent?.writes === false ||
    agent?.access === 'minimal' ||
    ledger.turns.reporting(turn.id)?.reported === 1
  )
    return false;
  const read = await lookAgain(loop, taskOfThread(turn.thread)!);
  return read !== null && workHash(read.text) === ledger.turns.reporting(turn.id)?.workHash;
}

/** How the turn ended, in the words its task has for it. */
function asMeant(outcome: Outcome, meaning: TurnEndResult | null): Outcome {
  if (meaning === null) return outcome;
  const { state, reason, message } = meaning;
  return { ...outcome, state, reason, message };
}

/** What the end of the turn means for its task; null when nobody remembers that. */
function meaningOf({ deps }: Loop, turn: TurnRecord, { outcome, counts }: RunEnd, seen: Seen) {
  const { isSilent, verdict } = seen;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread)!);
  if (memory === null) return null;
  const { consumed, attempted, attempts } = memory;
  const { maxAttempts, maxCheckRounds: maxRounds } = deps.config();
  const input: TurnEndInput = {
    ...outcome,
    ...{ counts, isSilent, consumed, attempted, attempts, maxAttempts },
    askedOnceMore: wroteNothingBefore(deps, turn),
    taskBudget: usedUpBudget(deps, memory.id, 'running'),
    waiting: deps.ledger.questions.isWaiting(memory.id),
    isFinished: isFinished(memory.status),
    revision: turn.revision,
    reasons: turn.reasons,
    now: deps.effects.now(),
    notStarted: endsInARow(deps.ledger, turn.thread, 'not_started'),
    random: deps.effects.randomBytes(1)[0]! / 256,
  };
  return verdict === null ? endOfTurn(input) : endOfFailedChecks(input, { ...verdict, maxRounds });
}

function recordMeaning(
  { deps }: Loop,
  turn: TurnRecord,
  { outcome, retryAt }: RunEnd,
  { verdict }: Seen,
  meaning: TurnEndResult,
  endedAt: number,
): void {
  const { tasks, wakes, checks, questions } = deps.ledger;
  const id = taskOfThread(turn.thread)!;
  tasks.update(id, meaning.memory);
  // A turn that had to give way is asked for again: it counts once for the loop guard, not each time.
  if (!turn.outside && !turn.reasons.includes('retry') && waitsForAgent(asMeant(outcome, meaning)))
    tasks.update(id, { loops: Math.max(0, (tasks.get(id)?.loops ?? 0) - 1) });
  if (retryAt !== undefined) tasks.update(id, { attempted: turn.revision, retryAt });
  if (verdict !== null && meaning.pause !== null) checks.update(turn.id, { state: 'gave_up' });
  if (meaning.isServed) questions.take(id, turn.id);
  for (const wake of meaning.wakesAgain) wakes.add(id, wake, endedAt);
}

async function noteChanges(loop: Loop, turn: TurnRecord, task: TaskId): Promise<void> {
  if (loop.deps.ledger.tasks.get(task)?.status !== 'done') return;
  const changes = await loop.workspaces.changes(task);
  if (changes === null) return;
  await noteInFile(loop, turn, { text: changes, key: `${turn.id}:changes`, under: 'Outcome' });
  await loop.dirtyPaths.pushTask(task);
}

const CUT_SHORT: ReadonlySet<TurnReason> = new Set(['person', 'paused', 'canceled', 'interrupted']);

/** Runs the checks of a turn whose task says done, once, and puts what follows from them into the file. The verdict is on record before
 * anything follows from it, so that a crash repeats the checks and never skips them. */
async function settleChecks(loop: Loop, turn: TurnRecord, { outcome, counts }: RunEnd, checking: Checking) {
  const { checks } = loop.deps.ledger;
  const begun = checks.get(turn.id);
  if (begun?.state === 'held') {
    // Cut short with the runtime: the turn that comes in its place begins anew.
    if (checking === null || (outcome.reason === 'interrupted' && !counts)) return null;
    const stopped = CUT_SHORT.has(outcome.reason)
      ? outcome.message
      : await runChecks(loop, turn, begun, checking);
    if (stopped === CUT) return CUT;
    if (stopped !== null) {
      // The done never counted, and nobody looks whether it should.
      checks.update(turn.id, { state: 'open' });
      await writeBack(loop, turn, `It said done, but its checks were not run: ${stopped}.`);
      return null;
    }
  }
  const now = checks.get(turn.id);
  const failed = now?.results.at(-1);
  if (now?.state !== 'failed' || failed === undefined) return null;
  const rounds = `${now.failures} of ${loop.deps.config().maxCheckRounds}`;
  const head = `It said done, but a check failed (${rounds}): ${describeCheck(failed)}.`;
  await writeBack(loop, turn, `${head} ${fenceOutput(failed.output) ?? 'It printed nothing.'}`);
  return { failed, failures: now.failures };
}

/** Runs the checks and records their verdict; returns why they were stopped, else null. */
async function runChecks(
  loop: Loop,
  turn: TurnRecord,
  { task: id, commands, failures, beganAt }: TurnChecks,
  { agent, slot }: NonNullable<Checking>,
): Promise<string | null | typeof CUT> {
  const { ledger, events, config, room } = loop.deps;
  if (loop.isStopping() && slot.signal.aborted) return CUT;
  const signal = slot.checking();
  const about = { turn: turn.id, id, name: subjectOf(loop.deps, turn).name };
  events.emit({ type: 'turn.checking', ...about, checks: commands });
  const { checkTimeoutMs: timeoutMs, maxOutputBytes } = config();
  const limits = { timeoutMs, maxOutputBytes, signal };
  const where = { turn: turn.id, task: id, agent, dir: turnDir(room, turn.id) };
  const results = await loop.runChecks({ ...where, commands, ...limits });
  const isWaived = ledger.checks.waiverSince(id, beganAt) !== null;
  if (results.at(-1)?.ended === 'stopped' && !isWaived) {
    const reason = signal.reason instanceof StopTurn ? signal.reason.reason : 'interrupted';
    return reason === 'interrupted' ? CUT : `its checks were stopped (${reason})`;
  }
  const failed = isWaived ? undefined : results.find(({ ended }) => ended !== 'ok');
  const state = isWaived ? 'waived' : failed === undefined ? 'passed' : 'failed';
  ledger.checks.update(turn.id, { state, results, failures: state === 'failed' ? failures + 1 : 0 });
  const message = failed === undefined ? null : describeCheck(failed);
  events.emit({ type: 'turn.checked', ...about, ok: failed === undefined, message });
  // What waited for them follows now, though the file is as it was.
  await lookAgain(loop, id);
  return null;
}

/** Sets the task back to doing, only while the file says done: a person who said otherwise meanwhile has the word. */
async function writeBack({ tasks, dirtyPaths }: Loop, turn: TurnRecord, text: string): Promise<void> {
  const actor = { kind: 'runtime', turn: turn.id } as const;
  const ref = taskOfThread(turn.thread)!;
  await tasks.call('note', { ref, text, key: `${turn.id}:checks` }, actor);
  await tasks.call('set', { ref, status: 'doing', only_if: 'done' }, actor);
  await dirtyPaths.pushTask(ref);
}
