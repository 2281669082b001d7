// Tasks whose record has grown too long: their old entries are to be summed up by the agent that the room names for it. What
// is asked for is a request like any other, on a thread of its own, so that the task's turns never wait for it.
import { RoomError } from '../../core/errors.ts';
import { newTurnId, type TaskId, threadOfDream, threadOfTask } from '../../core/ids.ts';
import { oldestEntries } from '../../core/task/spill.ts';
import { isFinished } from '../../core/task/status.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';

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
      ...{ id: newTurnId('dream', effects.randomBytes), thread: threadOfDream(id), origin: 'chore', agent },
      ...{ reasons: ['scheduled'], priority: PRIORITY, forced: false, outside: false },
      askedAt: effects.now(),
    });
    scheduler.requested();
  }

  function rests(id: TaskId): boolean {
    if (ledger.turns.runningOn(threadOfTask(id)) !== null) return true;
    const [last] = ledger.turns.list({ thread: threadOfDream(id), limit: 1 });
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
