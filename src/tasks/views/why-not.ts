// Why a task has no turn now: the facts of files and ledger, handed to the same `decide` that the loop asks.
import { threadOfTask } from '../../core/ids.ts';
import { decide } from '../../core/rules/decide.ts';
import type { Wait } from '../../core/rules/stand-in.ts';
import { explainWhyNot, type WhyNot, type WhyNotReason } from '../../core/rules/why-not.ts';
import { whyUnsaid } from '../observe/handed-over.ts';
import { turnOfOwnWork } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRow } from '../shapes/task.ts';

/** What of a task bears on it. */
export type WhyNotTask = Pick<
  TaskRow,
  'id' | 'status' | 'paused' | 'blocked' | 'waiting' | 'held' | 'retry_at' | 'running'
>;

/** What is around the task, as its view does not say it. */
export interface WhyNotSurroundings {
  /** What is wrong with its agent. */
  agentProblem: string | null;
  blockers: readonly string[];
  circle: readonly string[] | null;
  /** What its agent's turns wait for. */
  wait: Wait | null;
}

/** The one reason, and what would change it; null when nothing stands in the way. */
export function readWhyNot(handle: RoomHandle, view: WhyNotTask, around: WhyNotSurroundings): WhyNot | null {
  const agentProblem = whyUnsaid(handle.deps, view.id) ?? around.agentProblem;
  const { blockers, circle, wait } = around;
  const reason = reasonOf(handle, view, { ...around, agentProblem });
  if (reason === null) return null;
  return explainWhyNot(reason, {
    ...{ status: view.status, agentProblem, blockers, circle, retryAt: view.retry_at },
    wait: wait && { text: wait.text, until: new Date(wait.until).toISOString() },
    trouble: reason === 'trouble' ? readTrouble(handle) : null,
  });
}

function reasonOf(
  handle: RoomHandle,
  view: WhyNotTask,
  { agentProblem, wait }: WhyNotSurroundings,
): WhyNotReason | null {
  const { ledger, effects } = handle.deps;
  const { id, status, paused, blocked, waiting, held } = view;
  const memory = id === null ? null : ledger.tasks.get(id);
  const request = id === null ? null : ledger.requests.get(threadOfTask(id));
  const wakes = id === null ? [] : ledger.wakes.of(id);
  const decision = decide({
    ...{ status, paused, blocked, waiting, held, agentProblem },
    revision: memory?.revision ?? '',
    consumed: memory?.consumed ?? null,
    attempted: memory?.attempted ?? null,
    retryAt: memory?.retryAt ?? null,
    running: view.running !== null,
    inTurn: memory !== null && turnOfOwnWork(ledger, memory, handle.deps.config().defaultAgent) !== null,
    editedOutside: true,
    // What was asked for stands in the request, and asks still.
    wakes:
      request === null
        ? wakes
        : [...wakes, ...request.reasons, ...(request.forced ? (['run_forced'] as const) : ['run' as const])],
    now: effects.now(),
  });
  if (!decision.due) return decision.why;
  const letsPass =
    request?.forced === true ||
    wakes.includes('run_forced') ||
    (id !== null && ledger.limitWaits.passes(threadOfTask(id)));
  if (wait !== null && !letsPass) return wait.why;
  if (!handle.ports.daemonRuns()) return 'no_daemon';
  if (readTrouble(handle) !== null) return 'trouble';
  return request === null ? null : 'limit';
}

/** What is wrong outside, as the daemon noted it first; null when nothing is. */
export function readTrouble(handle: RoomHandle): Trouble | null {
  return allTrouble(handle)[0] ?? null;
}

export interface Trouble {
  message: string;
  hint: string | null;
}

export function allTrouble({ deps }: RoomHandle): Trouble[] {
  return JSON.parse(deps.ledger.meta.get('trouble') ?? '[]');
}
