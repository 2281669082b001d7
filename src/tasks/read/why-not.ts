// Why a task has no turn now: the facts of files and ledger, handed to the same `decide` that the loop asks.
import { threadOfTask } from '../../core/ids.ts';
import { decide } from '../../core/rules/decide.ts';
import type { Wait } from '../../core/rules/stand-in.ts';
import { explainWhyNot, type WhyNot, type WhyNotReason } from '../../core/rules/why-not.ts';
import type { TaskView } from '../operations.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { AgentWaits } from './agent-waits.ts';

/** What is around the task, as its view does not say it. */
export interface WhyNotSurroundings {
  blockers: readonly string[];
  circle: readonly string[] | null;
  waits: AgentWaits;
}

/** The one reason, and what would change it; null when nothing stands in the way. */
export function readWhyNot(handle: RoomHandle, view: TaskView, around: WhyNotSurroundings): WhyNot | null {
  const { deps } = handle;
  const agentProblem = agentProblemOf(handle, view.owner);
  const { blockers, circle, waits } = around;
  const wait = waits.of(view.owner ?? deps.config().defaultAgent);
  const reason = reasonOf(handle, view, agentProblem, wait);
  if (reason === null) return null;
  const { retryAt, status } = view;
  return explainWhyNot(reason, {
    ...{ status, agentProblem, blockers, circle },
    wait: wait && { text: wait.text, until: new Date(wait.until).toISOString() },
    retryAt: retryAt === null ? null : new Date(retryAt).toISOString(),
    trouble: reason === 'trouble' ? (troubleOf(deps.ledger.meta.get('trouble'))[0] ?? null) : null,
  });
}

function reasonOf(
  handle: RoomHandle,
  view: TaskView,
  agentProblem: string | null,
  wait: Wait | null,
): WhyNotReason | null {
  const { ledger, effects } = handle.deps;
  const { id, status, paused, blocked, held } = view;
  const memory = id === null ? null : ledger.tasks.get(id);
  const request = id === null ? null : ledger.requests.get(threadOfTask(id));
  const wakes = id === null ? [] : ledger.wakes.of(id);
  const decision = decide({
    ...{ status, paused, blocked, held, agentProblem },
    revision: memory?.revision ?? '',
    consumed: memory?.consumed ?? null,
    attempted: memory?.attempted ?? null,
    retryAt: memory?.retryAt ?? null,
    running: view.running !== null,
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
  if (troubleOf(ledger.meta.get('trouble')).length > 0) return 'trouble';
  return request === null ? null : 'limit';
}

/** What is wrong with the agent that would take its turns; null when nothing is. */
export function agentProblemOf({ deps }: RoomHandle, owner: string | null): string | null {
  const agent = owner ?? deps.config().defaultAgent;
  const agents = deps.agents();
  if (agents.has(agent)) return null;
  return `no agent ${JSON.stringify(agent)} in agents/ (there are: ${[...agents.keys()].join(', ') || 'none'})`;
}

function troubleOf(text: string | null): { message: string; hint: string | null }[] {
  return JSON.parse(text ?? '[]') as { message: string; hint: string | null }[];
}
