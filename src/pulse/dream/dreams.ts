// Tasks whose record has grown too long: their old entries are to be summed up by the agent that the room names for it. What
// is asked for is a request like any other, on a thread of its own, so that the task's turns never wait for it.

import { RoomError } from '../../core/errors.ts';
import { newTurnId, type TaskId, threadOfDream, threadOfTask } from '../../core/ids.ts';
import { oldestEntries } from '../../core/task/spill.ts';
import { isFinished } from '../../core/task/status.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';
import type { Scheduler } from '../schedule/scheduler.ts';

interface DreamsOptions extends Pick<Base, 'deps' | 'idle' | 'onTrouble'> {
  scheduler: Pick<Scheduler, 'requested'>;
}

export interface Dreams {
  /** Asks for the task's summary where its record is too long. Never rejects. */
  look(id: TaskId): Promise<void>;
  /** The same for every open task. */
  lookAtAll(): Promise<void>;
  /** True while it looks. */
  isBusy(): boolean;
}

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

/** The agent that sums up; null where none may: a runbook has no words of its own. */
export function dreamAgent({ config, agents }: Pick<TaskRoom, 'config' | 'agents'>): string | null {
  const { above, agent } = config().dream;
  const id = agent ?? config().defaultAgent;
  return above !== null && agents().get(id)?.runner === 'command' ? id : null;
}

export function createDreams({ deps, scheduler, idle, onTrouble }: DreamsOptions): Dreams {
  const { ledger, effects } = deps;
  let looking = 0;

  async function ask(id: TaskId): Promise<void> {
    const agent = dreamAgent(deps);
    const memory = ledger.tasks.get(id);
    if (agent === null || memory === null || memory.path === null || isFinished(memory.status)) return;
    if ((ledger.files.get(memory.path)?.stamp.size ?? 0) < deps.config().dream.above! || rests(id)) return;
    const row = await readFileRow(deps, memory.path);
    if (row === null || row === 'unstable' || !row.reading.ok) return;
    if (entriesToSumUp(deps, row.reading.task, row.text) === null) return;
    ledger.requests.add({
      ...{ id: newTurnId('dream', effects.randomBytes), thread: threadOfDream(id), origin: 'chore', agent },
      ...{
        reasons: ['scheduled'],
        priority: PRIORITY,
        askedAt: effects.now(),
        forced: false,
        outside: false,
      },
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

  async function look(id: TaskId): Promise<void> {
    looking += 1;
    try {
      await ask(id);
    } catch (error) {
      onTrouble(error);
    } finally {
      looking -= 1;
      idle.check();
    }
  }

  return {
    look,
    isBusy: () => looking > 0,
    async lookAtAll() {
      const { above, agent } = deps.config().dream;
      if (above === null) return;
      if (dreamAgent(deps) === null) return onTrouble(noDreamAgent(agent ?? deps.config().defaultAgent));
      for (const { id } of ledger.tasks.withStatus(['todo', 'doing'])) await look(id);
    },
  };
}

function noDreamAgent(agent: string): RoomError {
  return new RoomError(
    'bad_input',
    `no old entries are summed up: ${agent} is no agent of the runner command`,
    {
      hint: 'name one as "agent" under "dream" in room.yaml',
    },
  );
}
