// Saying done of a task that has checks: in its own turn they decide afterwards, outside of it only a person may.
import { RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { Task } from '../../core/task/task.ts';
import { checksThatCount } from '../../store/said-words.ts';
import { type Actor, isAgent, type TaskRoom } from '../task-room.ts';

/** @throws RoomError `not_allowed` for an agent that would finish a task past its checks */
export function assertMayFinish(
  { ledger, config, agents }: TaskRoom,
  actor: Actor,
  task: Task,
  id: TaskId,
): void {
  if (!isAgent(actor) || ledger.turns.runningOn(threadOfTask(id)) !== null) return;
  const commands = checksThatCount(ledger, id, agents().get(task.owner ?? config().defaultAgent));
  if (commands.length === 0) return;
  throw new RoomError(
    'not_allowed',
    `${task.name} has checks: only its own turn, or a person, can finish it`,
    {
      hint: `they are run at the end of its turn: ${commands.join('; ')}`,
    },
  );
}

/** The checks that decide whether a done which the file says now counts; none when nothing has to be waited for. */
export function awaitedChecks({ ledger }: TaskRoom, id: TaskId): string[] {
  const turn = ledger.turns.runningOn(threadOfTask(id));
  const checks = turn === null ? null : ledger.checks.ofTurn(turn.id);
  if (checks === null || !['open', 'held', 'failed'].includes(checks.state)) return [];
  return ledger.checks.waiverSince(id, checks.beganAt) === null ? checks.commands : [];
}

/** A person says done of a task whose done waits for checks that no turn is there to run: it counts. */
export function releasesHeld({ ledger }: TaskRoom, actor: Actor, id: TaskId): boolean {
  const newest = ledger.checks.newest(id);
  if (actor.kind !== 'person' || newest?.state !== 'held') return false;
  if (ledger.turns.runningOn(threadOfTask(id)) !== null) return false;
  ledger.checks.settle(newest.turn, { state: 'open' });
  return true;
}
