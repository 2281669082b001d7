// Decisions on record: a due task's turn is asked for, once a thread; one that is not due any more is withdrawn.
import { newTurnId, type TaskId, threadOfTask } from '../../core/ids.ts';
import type { Decision } from '../../core/rules/decide.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Agents } from '../runnable-agents.ts';

export interface RequestsOptions {
  deps: TaskRoom;
  agents: Pick<Agents, 'problem' | 'turnKind'>;
}

/** A task and why its turn is due. */
export interface DueTask {
  memory: TaskMemory;
  decision: Decision & { due: true };
}

export function createRequests({ deps, agents }: RequestsOptions) {
  const { tasks, requests, wakes } = deps.ledger;
  /** What was told of tasks that wait for an agent that can run. */
  const toldWaiting = new Map<TaskId, string>();

  function tellWaiting({ id, name, owner }: TaskMemory): void {
    const reason = agents.problem(owner ?? deps.config().defaultAgent) ?? '';
    if (toldWaiting.get(id) === reason) return;
    toldWaiting.set(id, reason);
    deps.events.emit({ type: 'task.waiting', id, name, reason });
  }

  return {
    /** Asks for the task's turn; durable when it returns. */
    ask({ memory, decision }: DueTask): void {
      const { id, name, owner, priority, held } = memory;
      const { reasons, forced, outside } = decision;
      const thread = threadOfTask(id);
      const agent = owner ?? deps.config().defaultAgent;
      const isNew = requests.get(thread) === null;
      toldWaiting.delete(id);
      deps.ledger.transaction(() => {
        const askedAt = deps.effects.now();
        // Somebody sits there and waits for it.
        const origin = reasons.includes('chat') ? 'chat' : 'task';
        const turnId = newTurnId(agents.turnKind(agent), deps.effects.randomBytes);
        requests.add({ id: turnId, thread, origin, agent, reasons, priority, askedAt, forced, outside });
        wakes.clear(id);
        if (held) tasks.update(id, { held: false });
      });
      if (isNew) deps.events.emit({ type: 'turn.requested', id, name, reasons });
    },
    /** Takes back what was asked for and not started, where what stands in the way calls for it. */
    withdraw(memory: TaskMemory, why: (Decision & { due: false })['why']): void {
      if (why === 'running' || why === 'in_turn') return;
      if (why === 'no_agent') tellWaiting(memory);
      const thread = threadOfTask(memory.id);
      const pending = requests.get(thread);
      // What was forced stands although the task is paused, blocked or a draft: its wakes are spent already.
      const forced = pending?.forced === true && why !== 'finished';
      if (pending !== null && !forced) requests.drop(thread);
      if (isFinished(memory.status)) wakes.clear(memory.id);
    },
  };
}
