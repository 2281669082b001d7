// Asks the pure core whether a task is due, with the facts of ledger and loop, and has its answer put on record.
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { decide } from '../../core/rules/decide.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { turnOfOwnWork } from '../../tasks/references.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Keep } from '../persistence.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { createMassEdits } from './mass-edits.ts';
import { createRequests, type DueTask, type RequestsOptions } from './requests.ts';

export interface DeciderOptions extends RequestsOptions {
  keep: Keep;
  running: Pick<RunningTurns, 'has'>;
  scheduler: Pick<Scheduler, 'requested'>;
}

export type Decider = ReturnType<typeof createDecider>;

export function createDecider(options: DeciderOptions) {
  const { deps, running, scheduler } = options;
  const requests = createRequests(options);
  const massEdits = createMassEdits(options);
  const editedInside = new Set<TaskId>();

  /** The task, when it is due; what stands in the way of one that is not is acted on. */
  function judge(id: TaskId): DueTask | null {
    const memory = readableTask(deps, id);
    if (memory === null) return null;
    const decision = decide({
      ...factsOf(deps, memory),
      agentProblem: whyUnsaid(deps, id) ?? options.agents.problem(memory.owner ?? deps.config().defaultAgent),
      running: running.has(threadOfTask(id)),
      inTurn: turnOfOwnWork(deps.ledger, memory, deps.config().defaultAgent) !== null,
      editedOutside: !editedInside.has(id),
    });
    if (decision.due) return { memory, decision };
    if (decision.why !== 'nothing_new') requests.withdraw(memory, decision.why);
    return null;
  }

  /** Decides over tasks at once; `holdsMany` holds those that edits made due, when they are too many. */
  function decideTogether(ids: readonly TaskId[], { holdsMany }: { holdsMany: boolean }): void {
    const due = [...new Set(ids)].map(judge).filter((task) => task !== null);
    const edited = due.filter(isDueByEdit);
    if (holdsMany && massEdits.hold(edited.map(({ memory }) => memory.id)))
      due.filter((task) => !isDueByEdit(task)).forEach(requests.ask);
    else deps.ledger.transaction(() => due.forEach(requests.ask));
    if (due.length > 0) scheduler.requested();
  }

  return {
    /** Decides over one task. @throws what the ledger refuses */
    decide(id: TaskId): void {
      const due = judge(id);
      if (due === null) return;
      requests.ask(due);
      scheduler.requested();
    },
    decideTogether,
    /** Decides over all that may be due; what the ledger refuses now is tried again. */
    decideAll: options.keep(() => {
      const ids = deps.ledger.tasks.candidates().map(({ id }) => id);
      decideTogether(ids, { holdsMany: false });
    }),
    /** The task's input changed: from inside while its own turn runs, from outside else. */
    inputChanged(id: TaskId): void {
      if (running.has(threadOfTask(id))) editedInside.add(id);
      else editedInside.delete(id);
    },
  };
}

/** What is remembered of a task whose file can be read. An invalid one keeps its last good state and is not scheduled. */
function readableTask({ ledger }: TaskRoom, id: TaskId): TaskMemory | null {
  const memory = ledger.tasks.get(id);
  if (memory === null || memory.path === null) return null;
  return ledger.files.get(memory.path)?.reading.ok ? memory : null;
}

function factsOf({ ledger, effects }: TaskRoom, memory: TaskMemory) {
  const { id, status, paused, blocked, revision, consumed, attempted, retryAt, held } = memory;
  const facts = { status, paused, blocked, revision, consumed, attempted, retryAt, held };
  return {
    ...facts,
    waiting: ledger.questions.isWaiting(id),
    wakes: ledger.wakes.of(id),
    now: effects.now(),
  };
}

function isDueByEdit({ decision }: DueTask): boolean {
  return decision.reasons.every((reason) => reason === 'new' || reason === 'edited');
}
