// Asks the pure core whether a task is due, with the facts of ledger and loop, and puts its answer on record: a due task's turn
// is requested, once a thread; a request that nothing asks for any more is withdrawn.
import { newTurnId, type TaskId, threadOfTask } from '../../core/ids.ts';
import { type Decision, decide } from '../../core/rules/decide.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { turnOfOwnWork } from '../../tasks/references.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { createBulkEditGuard } from './bulk-edit-guard.ts';

/** A task and why its turn is due. */
interface DueTask {
  memory: TaskMemory;
  decision: Decision & { due: true };
}

export function createDecider(base: Base, scheduler: Pick<Scheduler, 'requested'>) {
  const { deps, active, agents } = base;
  const { ledger } = deps;
  const requests = createRequests(base);
  const bulkEdits = createBulkEditGuard(deps);
  const editedInside = new Set<TaskId>();

  /** The task, when it is due; what stands in the way of one that is not is acted on. */
  function judge(id: TaskId): DueTask | null {
    const memory = readableTask(deps, id);
    if (memory === null) return null;
    const { defaultAgent } = deps.config();
    const decision = decide({
      ...memory,
      waiting: ledger.questions.isWaiting(id),
      wakes: ledger.wakes.of(id),
      now: deps.effects.now(),
      agentProblem: whyUnsaid(deps, id) ?? agents.problem(memory.owner ?? defaultAgent),
      running: active.has(threadOfTask(id)),
      inTurn: turnOfOwnWork(ledger, memory, defaultAgent) !== null,
      editedOutside: !editedInside.has(id),
    });
    if (decision.due) return { memory, decision };
    if (decision.why !== 'nothing_new') requests.withdraw(memory, decision.why);
    return null;
  }

  /** Decides over tasks at once; `holdsMany` holds those that edits made due, when they are too many. */
  function decideTogether(ids: readonly TaskId[], { holdsMany }: { holdsMany: boolean }): void {
    const due = [...new Set(ids)].map(judge).filter((task) => task !== null);
    const edited = due.filter(isDueByEdit).map(({ memory }) => memory.id);
    if (holdsMany && bulkEdits.hold(edited)) due.filter((task) => !isDueByEdit(task)).forEach(requests.ask);
    else ledger.transaction(() => due.forEach(requests.ask));
    if (due.length > 0) scheduler.requested();
  }

  return {
    decideTogether,
    /** Decides over one task. @throws what the ledger refuses */
    decide(id: TaskId): void {
      const due = judge(id);
      if (due === null) return;
      requests.ask(due);
      scheduler.requested();
    },
    /** Decides over all that may be due; what the ledger refuses now is tried again. */
    decideAll: base.keep(() => {
      const ids = ledger.tasks.candidates().map(({ id }) => id);
      decideTogether(ids, { holdsMany: false });
    }),
    /** The task's input changed: from inside while its own turn runs, from outside else. */
    inputChanged(id: TaskId): void {
      if (active.has(threadOfTask(id))) editedInside.add(id);
      else editedInside.delete(id);
    },
  };
}

function createRequests({ deps, agents }: Base) {
  const { tasks, requests, wakes, transaction } = deps.ledger;
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
    ask({ memory: { id, name, owner, priority, held }, decision }: DueTask): void {
      const { reasons, forced, outside } = decision;
      const thread = threadOfTask(id);
      const agent = owner ?? deps.config().defaultAgent;
      const isNew = requests.get(thread) === null;
      toldWaiting.delete(id);
      transaction(() => {
        const askedAt = deps.effects.now();
        // With a chat somebody sits there and waits for it.
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
      const isForced = pending?.forced === true && why !== 'finished';
      if (pending !== null && !isForced) requests.drop(thread);
      if (isFinished(memory.status)) wakes.clear(memory.id);
    },
  };
}

/** What is remembered of a task whose file can be read. An invalid one keeps its last good state and is not scheduled. */
function readableTask({ ledger }: TaskRoom, id: TaskId): TaskMemory | null {
  const memory = ledger.tasks.get(id);
  if (memory === null || memory.path === null) return null;
  return ledger.files.get(memory.path)?.reading.ok ? memory : null;
}

function isDueByEdit({ decision }: DueTask): boolean {
  return decision.reasons.every((reason) => reason === 'new' || reason === 'edited');
}
