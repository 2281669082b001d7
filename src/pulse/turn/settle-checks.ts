// The checks of a turn that ended, to their verdict: run when its task says done, and on record before anything follows
// from them, so that a crash repeats them and never skips them.

import { StopTurn } from '../../agents/runner.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { type TaskId, taskOfThread } from '../../core/ids.ts';
import { type CheckResult, describeCheck } from '../../core/rules/checks.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import { fenceOutput } from '../../core/task/body/foreign-text.ts';
import type { TurnChecks } from '../../store/ledger/tasks/waits.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import { lookAgain } from './task-file.ts';
import { turnDir } from './turn-folder.ts';
import type { RunEnd } from './turn-record.ts';

export interface Checking {
  /** As its turn had it. */
  agent: AgentConfig;
  slot: TurnSlot;
}

/** What the checks of a turn that ended came to. */
export type Verdict =
  /** Its task does not say done, has no checks, or they passed: the turn ends as it would without. */
  | { kind: 'none' }
  | { kind: 'failed'; failed: CheckResult; failures: number }
  /** The loop stops: the turn stays on record as running, and the next start runs its checks anew. */
  | { kind: 'cut' };

/** Runs the checks of a turn whose task says done, once, and puts what follows from them into the file. */
export async function settleChecks(
  base: Base,
  turn: TurnRecord,
  { outcome, counts }: RunEnd,
  checking: Checking | null,
): Promise<Verdict> {
  const { ledger } = base.deps;
  const checks = ledger.checks.ofTurn(turn.id);
  if (checks === null) return { kind: 'none' };
  if (checks.state === 'held') {
    // Cut short with the runtime: the turn that comes in its place begins anew.
    if (checking === null || (outcome.reason === 'interrupted' && !counts)) return { kind: 'none' };
    if (CUT_SHORT.has(outcome.reason)) return withdraw(base, turn, outcome.message);
    const verdict = await decide(base, turn, checks, checking);
    if (verdict !== 'on record') return verdict;
  }
  const now = ledger.checks.ofTurn(turn.id)!;
  const failed = now.results.at(-1);
  if (now.state !== 'failed' || failed === undefined) return { kind: 'none' };
  const rounds = `${now.failures} of ${base.deps.config().maxCheckRounds}`;
  const head = `It said done, but a check failed (${rounds}): ${describeCheck(failed)}.`;
  const printed = fenceOutput(failed.output) ?? 'It printed nothing.';
  await writeBack(base, turn, now.task, `${head} ${printed}`);
  return { kind: 'failed', failed, failures: now.failures };
}

const CUT_SHORT: ReadonlySet<TurnReason> = new Set(['person', 'paused', 'canceled', 'interrupted']);

async function decide(
  base: Base,
  turn: TurnRecord,
  checks: TurnChecks,
  { agent, slot }: Checking,
): Promise<Verdict | 'on record'> {
  const { deps } = base;
  const { ledger, events } = deps;
  const { task, commands, failures } = checks;
  const name = ledger.tasks.get(task)?.name ?? task;
  const { checkTimeoutMs: timeoutMs, maxOutputBytes } = deps.config();
  if (base.isStopping() && slot.signal.aborted) return { kind: 'cut' };
  const signal = slot.checking();
  events.emit({ type: 'turn.checking', turn: turn.id, id: task, name, checks: commands });
  const dir = turnDir(deps.room, turn.id);
  const limits = { timeoutMs, maxOutputBytes };
  const results = await base.runChecks({ turn: turn.id, task, agent, dir, commands, signal, ...limits });
  const isWaived = ledger.checks.waiverSince(task, checks.beganAt) !== null;
  const last = results.at(-1);
  if (last?.ended === 'stopped' && !isWaived) {
    const reason = signal.reason instanceof StopTurn ? signal.reason.reason : 'interrupted';
    if (reason === 'interrupted') return { kind: 'cut' };
    return withdraw(base, turn, `its checks were stopped (${reason})`);
  }
  const failed = isWaived ? undefined : results.find(({ ended }) => ended !== 'ok');
  const state = isWaived ? 'waived' : failed === undefined ? 'passed' : 'failed';
  ledger.checks.settle(turn.id, { state, results, failures: state === 'failed' ? failures + 1 : 0 });
  const message = failed === undefined ? null : describeCheck(failed);
  events.emit({ type: 'turn.checked', turn: turn.id, id: task, name, ok: failed === undefined, message });
  // What waited for them follows now, though the file is as it was.
  await lookAgain(base, task);
  return 'on record';
}

/** The done never counted, and nobody looks whether it should. */
async function withdraw(base: Base, turn: TurnRecord, why: string): Promise<Verdict> {
  const { ledger } = base.deps;
  const task = taskOfThread(turn.thread)!;
  ledger.checks.settle(turn.id, { state: 'open' });
  await writeBack(base, turn, task, `It said done, but its checks were not run: ${why}.`);
  return { kind: 'none' };
}

/** Only while the file says done: a person who said otherwise meanwhile has the word. */
async function writeBack(
  { tasks, dirtyPaths }: Base,
  turn: TurnRecord,
  task: TaskId,
  note: string,
): Promise<void> {
  const actor = { kind: 'runtime', turn: turn.id } as const;
  await tasks.call('note', { ref: task, text: note, key: `${turn.id}:checks` }, actor);
  await tasks.call('set', { ref: task, status: 'doing', only_if: 'done' }, actor);
  await dirtyPaths.lookAtTask(task);
}
