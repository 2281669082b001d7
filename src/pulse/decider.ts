// From settled edits and events to requests: asks the pure core over each task and records its answer.

import { type TaskId, threadOfTask } from '../core/ids.ts';
import { type Decision, decide, isMassEdit } from '../core/rules/decide.ts';
import { isFinished } from '../core/task/status.ts';
import type { TaskMemory } from '../store/ledger/tasks.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { Queue } from './queue.ts';

export interface DeciderOptions {
  deps: TaskRoom;
  queue: Queue;
  /** What is wrong with an agent, null when it can run. */
  agentProblem(id: string): string | null;
  isRunning(id: TaskId): boolean;
  isSettling(id: TaskId): boolean;
  /** Requests were added. */
  onRequests(): void;
}

export interface Decider {
  /** Decides over one task for events; edits that still settle are left alone. */
  look(id: TaskId): void;
  /** Decides over tasks whose edits settled together; holds them all when they are a mass edit. */
  lookTogether(ids: readonly TaskId[], guarded: boolean): void;
  /** The task's input changed while its own turn ran. */
  noteInsideEdit(id: TaskId): void;
  noteOutsideEdit(id: TaskId): void;
}

// Edits within this time of each other count as one mass edit.
const TOGETHER_MS = 2_000;

export function createDecider(options: DeciderOptions): Decider {
  const { deps, queue } = options;
  const { tasks, files, requests, wakes } = deps.ledger;
  const insideEdits = new Set<TaskId>();
  const waiting = new Map<TaskId, string>();
  let recent: { id: TaskId; atMs: number }[] = [];

  function ask(memory: TaskMemory): Decision {
    const { status, paused, blocked, revision, consumed, attempted, retryAt, held } = memory;
    const agent = memory.owner ?? deps.config().defaultAgent;
    return decide({
      status,
      paused,
      blocked,
      agentProblem: options.agentProblem(agent),
      revision,
      consumed,
      attempted,
      retryAt,
      held,
      running: options.isRunning(memory.id),
      editedOutside: !insideEdits.has(memory.id),
      wakes: wakes.of(memory.id),
      now: deps.effects.now(),
    });
  }

  function readable(id: TaskId): TaskMemory | null {
    const memory = tasks.get(id);
    if (memory === null || memory.path === null) return null;
    // An invalid file keeps its last good state and is not scheduled.
    return files.get(memory.path)?.reading.ok ? memory : null;
  }

  function request(memory: TaskMemory, decision: Decision & { due: true }): void {
    const { id, owner, priority } = memory;
    const { reasons, forced, outside } = decision;
    const agent = owner ?? deps.config().defaultAgent;
    const fresh = requests.get(threadOfTask(id)) === null;
    waiting.delete(id);
    deps.ledger.transaction(() => {
      const askedAt = deps.effects.now();
      queue.ask({
        thread: threadOfTask(id),
        origin: 'task',
        agent,
        reasons,
        priority,
        askedAt,
        forced,
        outside,
      });
      wakes.clear(id);
      if (memory.held) tasks.update(id, { held: false });
    });
    if (fresh) deps.events.emit({ type: 'turn.requested', id, name: memory.name, reasons });
  }

  function withdraw(memory: TaskMemory, why: (Decision & { due: false })['why']): void {
    if (why === 'running') return;
    if (why === 'no_agent') tellWaiting(memory);
    const pending = requests.get(threadOfTask(memory.id));
    // What was forced stands although the task is paused, blocked or a draft: its wakes are spent already.
    const forced = pending?.forced === true && why !== 'finished';
    if (pending !== null && !forced) queue.drop(threadOfTask(memory.id));
    if (isFinished(memory.status)) wakes.clear(memory.id);
  }

  function tellWaiting(memory: TaskMemory): void {
    const reason = options.agentProblem(memory.owner ?? deps.config().defaultAgent) ?? '';
    if (waiting.get(memory.id) === reason) return;
    waiting.set(memory.id, reason);
    deps.events.emit({ type: 'task.waiting', id: memory.id, name: memory.name, reason });
  }

  function look(id: TaskId): void {
    if (options.isSettling(id)) return;
    const memory = readable(id);
    if (memory === null) return;
    const decision = ask(memory);
    if (decision.due) {
      request(memory, decision);
      options.onRequests();
    } else if (decision.why !== 'nothing_new') {
      withdraw(memory, decision.why);
    }
  }

  function lookTogether(ids: readonly TaskId[], guarded: boolean): void {
    const due: { memory: TaskMemory; decision: Decision & { due: true } }[] = [];
    for (const id of new Set(ids)) {
      const memory = readable(id);
      if (memory === null) continue;
      const decision = ask(memory);
      if (decision.due) due.push({ memory, decision });
      else if (decision.why !== 'nothing_new') withdraw(memory, decision.why);
    }
    const byEdit = due.filter(({ decision }) =>
      decision.reasons.every((reason) => reason === 'new' || reason === 'edited'),
    );
    if (guarded && hold(byEdit.map(({ memory }) => memory))) {
      const others = due.filter((entry) => !byEdit.includes(entry));
      for (const { memory, decision } of others) request(memory, decision);
    } else {
      deps.ledger.transaction(() => {
        for (const { memory, decision } of due) request(memory, decision);
      });
    }
    if (due.length > 0) options.onRequests();
  }

  /** Holds the tasks, and those of the last moments that did not start, when they are too many. */
  function hold(memories: readonly TaskMemory[]): boolean {
    const now = deps.effects.monotonicMs();
    recent = recent.filter(({ atMs }) => now - atMs < TOGETHER_MS);
    const before = recent.map(({ id }) => id);
    recent.push(...memories.map(({ id }) => ({ id, atMs: now })));
    if (memories.length === 0 || !isMassEdit(recent.length, deps.config().holdAbove)) return false;
    deps.ledger.transaction(() => {
      for (const { id } of memories) tasks.update(id, { held: true });
      for (const id of before) if (queue.drop(threadOfTask(id))) tasks.update(id, { held: true });
    });
    deps.events.emit({ type: 'tasks.held', count: tasks.held().length });
    return true;
  }

  return {
    look,
    lookTogether,
    noteInsideEdit: (id) => void insideEdits.add(id),
    noteOutsideEdit: (id) => void insideEdits.delete(id),
  };
}
