// The checks of a turn that begins: on record as they stand then, and told in its prompt.
import type { PromptChecks } from '../../core/context/around-section.ts';
import type { TurnId } from '../../core/ids.ts';
import { failuresBefore } from '../../core/rules/checks.ts';
import type { Task } from '../../core/task/task.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { checksThatCount } from '../../store/said-words.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

/** Puts the checks of a turn that begins on record. Runs inside the commit that begins it. */
export function beginChecks(
  { ledger, agents }: TaskRoom,
  turn: TurnId,
  { id, revision }: Pick<Task, 'id' | 'revision'>,
  agent: string,
): void {
  const task = id!;
  const { startedAt } = ledger.turns.get(turn)!;
  ledger.checks.begin({
    turn,
    task,
    revision,
    commands: checksThatCount(ledger, task, agents().get(agent)),
    failures: failuresBefore(ledger.checks.newest(task), revision),
    state: 'open',
    results: [],
    beganAt: startedAt,
  });
}

/** What a turn's prompt says of them. */
export function checksForPrompt({ ledger, config }: TaskRoom, turn: TurnRecord): { checks?: PromptChecks } {
  const checks = ledger.checks.ofTurn(turn.id);
  if (checks === null) return {};
  const before = ledger.checks.before(checks.task, turn.id);
  const failed =
    before?.state === 'failed' || before?.state === 'gave_up' ? before.results.at(-1) : undefined;
  const rounds = { failures: checks.failures, maxRounds: config().maxCheckRounds };
  return { checks: { commands: checks.commands, failed: failed ?? null, ...rounds } };
}
