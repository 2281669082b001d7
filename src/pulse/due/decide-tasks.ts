// Asks the pure core whether a task is due, with the facts of ledger and loop, and puts its answer on record: a due task's turn
// is requested, once a thread; a request that nothing asks for any more is withdrawn.
import { newTurnId, type TaskId, threadOfTask } from '../../core/ids.ts';
import { type Decision, decide, isMassEdit } from '../../core/rules/decide.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { isSaidByAgent } from '../../tasks/observe/consequences.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { turnOfOwnWork } from '../../tasks/references.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { Loop } from '../state/loop.ts';

type NotDue = (Decision & { due: false })['why'];
/** Why a task is not due that says nothing against what was asked for. */
const LEAVES_REQUEST: ReadonlySet<NotDue> = new Set<NotDue>(['nothing_new', 'running', 'in_turn']);

type DueTask = { memory: TaskMemory; decision: Decision & { due: true } };

export function createDecider(loop: Loop, scheduler: Pick<Scheduler, 'startTurns'>) {
  const { deps, active, agents } = loop;
  const { ledger } = deps;
  const requests = createRequests(loop);
  const bulkEdits = createBulkEditGuard(deps);

  /** The task, when it is due; what stands in the way of one that is not is acted on. One whose file can't be read keeps its
   * last good state and is not scheduled. */
  function judge(id: TaskId): DueTask | null {
    const memory = ledger.tasks.get(id);
    if (memory === null || memory.path === null || !ledger.files.get(memory.path)?.reading.ok) return null;
    const { defaultAgent } = deps.config();
    const decision = decide({
      ...memory,
      waiting: ledger.questions.isWaiting(id),
      wakes: ledger.wakes.of(id),
      now: deps.effects.now(),
      agentProblem: whyUnsaid(deps, id) ?? agents.problem(memory.owner ?? defaultAgent, memory),
      running: active.running.has(threadOfTask(id)),
      inTurn: turnOfOwnWork(ledger, memory, defaultAgent) !== null,
      editedOutside: !loop.dirtyTasks.editedInside.has(id) && !isSaidByAgent(deps, memory),
    });
    if (decision.due) return { memory, decision };
    if (!LEAVES_REQUEST.has(decision.why)) requests.withdraw(memory, decision.why);
    return null;
  }

  /** Decides over tasks at once; `holdsMany` holds those that edits made due, when they are too many. */
  function decideTogether(ids: readonly TaskId[], { holdsMany }: { holdsMany: boolean }): void {
    const due = [...new Set(ids)].map(judge).filter((task) => task !== null);
    if (due.length === 0) return;
    const edited = due.filter(isDueByEdit).map(({ memory }) => memory.id);
    const isHeld = holdsMany && bulkEdits.hold(edited);
    const asked = isHeld ? due.filter((task) => !isDueByEdit(task)) : due;
    const fresh = ledger.transaction(() => asked.filter(requests.ask));
    for (const { memory, decision } of fresh) {
      const { id, name } = memory;
      deps.events.emit({ type: 'turn.requested', id, name, reasons: decision.reasons });
    }
    scheduler.startTurns();
  }

  return {
    decideTogether,
    /** Decides over all that may be due; what the ledger refuses now is tried again. */
    decideAll: loop.keep(() => {
      const ids = ledger.tasks.candidates().map(({ id }) => id);
      decideTogether(ids, { holdsMany: false });
    }),
  };
}

function createRequests({ deps, agents }: Loop) {
  const { tasks, requests, wakes } = deps.ledger;
  const saidWaiting = new Map<TaskId, string>();

  function sayWaiting(memory: TaskMemory): void {
    const { id, name, owner } = memory;
    const reason = agents.problem(owner ?? deps.config().defaultAgent, memory) ?? '';
    if (saidWaiting.get(id) === reason) return;
    saidWaiting.set(id, reason);
    deps.events.emit({ type: 'task.waiting', id, name, reason });
  }

  return {
    /** Asks for the task's turn, within a transaction of the caller; true when it was not asked for before. */
    ask({ memory: { id, owner, priority, held }, decision }: DueTask): boolean {
      const { reasons, forced, outside } = decision;
      const thread = threadOfTask(id);
      const agent = owner ?? deps.config().defaultAgent;
      const isNew = requests.get(thread) === null;
      saidWaiting.delete(id);
      const askedAt = deps.effects.now();
      // With a chat somebody sits there and waits for it.
      const origin = reasons.includes('chat') ? 'chat' : 'task';
      const turnId = newTurnId(agents.turnKind(agent), deps.effects.randomBytes);
      requests.add({ id: turnId, thread, origin, agent, reasons, priority, askedAt, forced, outside });
      wakes.deleteAll({ task: id });
      if (held) tasks.update(id, { held: false });
      return isNew;
    },
    /** Takes back what was asked for and not started, where what stands in the way calls for it. */
    withdraw(memory: TaskMemory, why: NotDue): void {
      if (why === 'no_agent') sayWaiting(memory);
      const thread = threadOfTask(memory.id);
      const pending = requests.get(thread);
      // What was forced stands although the task is paused, blocked or a draft: its wakes are spent already.
      const isForced = pending?.forced === true && why !== 'finished';
      if (pending !== null && !isForced) requests.delete(thread);
      if (isFinished(memory.status)) wakes.deleteAll({ task: memory.id });
    },
  };
}

const isDueByEdit = ({ decision }: DueTask): boolean =>
  decision.reasons.every((reason) => reason === 'new' || reason === 'edited');

const TOGETHER_MS = 2_000; // Edits within this time of each other count as one bulk edit.
// However slow reading is, what was edited with a task is read within this time of it.
const REMEMBERED_MS = 10 * 60_000;

interface Edit {
  id: TaskId;
  seenMs: number; // When it was found to be due, monotonic.
  /** When its file was changed, on the clock of the disk; null where that is not known. */
  savedMs: number | null;
}

export function createBulkEditGuard(deps: Pick<TaskRoom, 'ledger' | 'effects' | 'config' | 'events'>) {
  const { tasks, files, requests } = deps.ledger;
  let recent: Edit[] = [];

  return {
    /** Holds the tasks, and those edited with them that did not start, when they are too many; true when it does. */
    hold(ids: readonly TaskId[]): boolean {
      const { holdAbove } = deps.config();
      const seenMs = deps.effects.monotonicMs();
      const fresh = new Set(ids);
      recent = recent.filter((edit) => seenMs - edit.seenMs < REMEMBERED_MS && !fresh.has(edit.id));
      for (const id of ids) {
        const path = tasks.get(id)?.path ?? null;
        const savedMs = path === null ? null : (files.get(path)?.stamp.ctimeMs ?? null);
        recent.push({ id, seenMs, savedMs });
      }
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
function crowded(edits: readonly Edit[], holdAbove: number, timeOf: (edit: Edit) => number | null) {
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
