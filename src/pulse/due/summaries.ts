// Asks for summaries of old entries, for tasks whose record has grown too long.
import { RoomError } from '../../core/errors.ts';
import { newTurnId, type TaskId, threadOfSummary, threadOfTask } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { Loop } from '../state/loop.ts';
import { readEntriesToSumUp } from '../turn/summary-turn.ts';

const REST_MS = 60 * 60_000; // After one that failed.
const PRIORITY = 2;

/** The agent that sums up; null where none may: a runbook has no words of its own. */
export function summaryAgent({ config, agents }: Pick<TaskRoom, 'config' | 'agents'>): string | null {
  const { above, agent } = config().dream;
  const id = agent ?? config().defaultAgent;
  return above !== null && agents().get(id)?.runner === 'command' ? id : null;
}

export function createSummaries(
  { deps, during, onTrouble }: Pick<Loop, 'deps' | 'during' | 'onTrouble'>,
  scheduler: Pick<Scheduler, 'startTurns'>,
) {
  const { ledger, effects } = deps;

  async function ask(id: TaskId): Promise<void> {
    const agent = summaryAgent(deps);
    const memory = ledger.tasks.get(id);
    if (agent === null || memory === null || memory.path === null || isFinished(memory.status)) return;
    if ((ledger.files.get(memory.path)?.stamp.size ?? 0) < deps.config().dream.above! || rests(id)) return;
    if ((await readEntriesToSumUp(deps, id)) === null) return;
    const thread = threadOfSummary(id);
    ledger.requests.add({
      ...{ id: newTurnId('summary', effects.randomBytes), thread, origin: 'chore', agent },
      ...{ reasons: ['scheduled'], priority: PRIORITY, forced: false, outside: false },
      askedAt: effects.now(),
    });
    scheduler.startTurns();
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
    async lookAtAll(): Promise<void> {
      const { above, agent } = deps.config().dream;
      if (above === null) return;
      if (summaryAgent(deps) === null) {
        const message = `no old entries are summed up: ${agent ?? deps.config().defaultAgent} is no agent of the runner command`;
        const hint = 'name one as "agent" under "dream" in room.yaml';
        return onTrouble(new RoomError('bad_input', message, { hint }));
      }
      for (const { id } of ledger.tasks.withStatus(['todo', 'doing'])) await look(id);
    },
  };
}
