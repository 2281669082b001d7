// Asks the pure core whether a task is due, with the facts of ledger and loop, and puts its answer on record: a due task's turn
// is requested, once a thread; a request that nothing asks for any more is withdrawn.
import { newTurnId, type TaskId, threadOfTask } from '../../core/ids.ts';
import { type Decision, decide, isMassEdit } from '../../core/rules/decide.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { turnOfOwnWork } from '../../tasks/references.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';
import type { Scheduler } from '../schedule/scheduler.ts';

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
        wakes.deleteAll({ task: id });
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
      if (pending !== null && !isForced) requests.delete(thread);
      if (isFinished(memory.status)) wakes.deleteAll({ task: memory.id });
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

// Edits within this time of each other count as one bulk edit.
const TOGETHER_MS = 2_000;
// However slow reading is, what was edited with a task is read within this time of it.
const REMEMBERED_MS = 10 * 60_000;

interface Edit {
  id: TaskId;
  /** When it was found to be due, monotonic. */
  seenMs: number;
  /** When its file was changed, on the clock of the disk; null where that is not known. */
  savedMs: number | null;
}

export function createBulkEditGuard(deps: Pick<TaskRoom, 'ledger' | 'effects' | 'config' | 'events'>) {
  const { tasks, files, requests } = deps.ledger;
  let recent: Edit[] = [];

  function savedAt(id: TaskId): number | null {
    const path = tasks.get(id)?.path ?? null;
    return path === null ? null : (files.get(path)?.stamp.ctimeMs ?? null);
  }

  return {
    /** Holds the tasks, and those edited with them that did not start, when they are too many; true when it does. */
    hold(ids: readonly TaskId[]): boolean {
      const { holdAbove } = deps.config();
      const seenMs = deps.effects.monotonicMs();
      const fresh = new Set(ids);
      recent = recent.filter((edit) => seenMs - edit.seenMs < REMEMBERED_MS && !fresh.has(edit.id));
      recent.push(...ids.map((id) => ({ id, seenMs, savedMs: savedAt(id) })));
      const together = new Set([
        ...crowded(recent, holdAbove, (edit) => edit.seenMs),
        ...crowded(recent, holdAbove, ({ savedMs }) => savedMs),
      ]);
      if (!ids.some((id) => together.has(id))) return false;
      deps.ledger.transaction(() => {
        for (const id of new Set([...ids, ...together]))
          if (fresh.has(id) || requests.delete(threadOfTask(id))) tasks.update(id, { held: true });
      });
      deps.events.emit({ type: 'tasks.held', count: tasks.held().length });
      return true;
    },
  };
}

/** Those that stand with more than `holdAbove` others within the time that counts as together. */
function crowded(
  edits: readonly Edit[],
  holdAbove: number,
  timeOf: (edit: Edit) => number | null,
): Set<TaskId> {
  const timed = edits.flatMap((edit) => {
    const atMs = timeOf(edit);
    return atMs === null ? [] : [{ id: edit.id, atMs }];
  });
  timed.sort((a, b) => a.atMs - b.atMs);
  const found = new Set<TaskId>();
  for (let first = 0, last = 0, marked = 0; last < timed.length; last += 1) {
    while (timed[last]!.atMs - timed[first]!.atMs >= TOGETHER_MS) first += 1;
    if (!isMassEdit(last - first + 1, holdAbove)) continue;
    for (marked = Math.max(marked, first); marked <= last; marked += 1) found.add(timed[marked]!.id);
  }
  return found;
}
