// Why a task has no turn now: the facts of files and ledger, handed to the same `decide` that the loop asks.
import { threadOfTask } from '../../core/ids.ts';
import { decide } from '../../core/rules/decide.ts';
import type { Wait } from '../../core/rules/waits.ts';
import { explainWhyNot, type WhyNot, type WhyNotReason } from '../../core/rules/why-not.ts';
import { isFinished } from '../../core/task/status.ts';
import { whyUnsaid } from '../observe/handed-over.ts';
import type { AgentProblemOf } from '../obstacles.ts';
import { turnOfOwnWork } from '../references.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { RoomHandle } from '../task-room.ts';
import { findBlockerFaults } from './blocker-faults.ts';

/** What bears on a task and does not stand in its row. */
interface Obstacles {
  /** What is wrong with its agent. */
  agentProblem: string | null;
  blockers: readonly string[];
  circle: readonly string[] | null;
  /** What its agent's turns wait for. */
  wait: Wait | null;
}

/** The one reason, and what would change it; null when nothing stands in the way. */
export function readWhyNot(deps: RoomHandle, row: TaskRow, obstacles: Obstacles): WhyNot | null {
  const agentProblem = whyUnsaid(deps, row.id) ?? obstacles.agentProblem;
  const { blockers, circle, wait } = obstacles;
  const reason = reasonOf(deps, row, agentProblem, wait);
  if (reason === null) return null;
  return explainWhyNot(reason, {
    ...{ status: row.status, agentProblem, blockers, circle, retryAt: row.retry_at },
    wait: wait && { text: wait.text, until: new Date(wait.until).toISOString() },
    trouble: reason === 'trouble' ? (allTrouble(deps)[0] ?? null) : null,
  });
}

function reasonOf(
  deps: RoomHandle,
  { id, status, paused, blocked, waiting, held, running }: TaskRow,
  agentProblem: string | null,
  wait: Wait | null,
): WhyNotReason | null {
  const { ledger, effects, config } = deps;
  const memory = id === null ? null : ledger.tasks.get(id);
  const request = id === null ? null : ledger.requests.get(threadOfTask(id));
  const wakes = id === null ? [] : ledger.wakes.of(id);
  // What was asked for stands in the request, and asks still.
  const asked =
    request === null ? [] : ([...request.reasons, request.forced ? 'run_forced' : 'run'] as const);
  const decision = decide({
    ...{ status, paused, blocked, waiting, held, agentProblem, wakes: [...wakes, ...asked] },
    revision: memory?.revision ?? '',
    consumed: memory?.consumed ?? null,
    attempted: memory?.attempted ?? null,
    retryAt: memory?.retryAt ?? null,
    running: running !== null,
    inTurn: memory !== null && turnOfOwnWork(ledger, memory, config().defaultAgent) !== null,
    editedOutside: true,
    now: effects.now(),
  });
  if (!decision.due) return decision.why;
  const letsPass =
    request?.forced === true ||
    wakes.includes('run_forced') ||
    (id !== null && ledger.letPass.has({ thread: threadOfTask(id) }));
  if (wait !== null && !letsPass) return wait.why;
  if (!deps.ports.daemonRuns()) return 'no_daemon';
  if (allTrouble(deps).length > 0) return 'trouble';
  return request === null ? null : 'limit';
}

/** What is wrong outside, in the order in which the daemon noted it. */
export function allTrouble(deps: RoomHandle): { message: string; hint: string | null }[] {
  return JSON.parse(deps.ledger.meta.get('trouble') ?? '[]');
}

/** Reasons that the row of a list does not show. */
const UNSEEN: ReadonlySet<string> = new Set(['no_agent', 'trouble', 'limit']);

/** By path, what keeps tasks from their turn where their rows don't show it. Linear; the ledger is asked about few of them. */
export function readObstacles(deps: RoomHandle, tasks: readonly TaskRow[], problemOf: AgentProblemOf) {
  const obstacles = new Map<string, WhyNot>();
  const circles = findBlockerFaults(tasks.filter(({ blocked }) => blocked)).cycles;
  const runs = deps.ports.daemonRuns();
  const hasTrouble = runs && allTrouble(deps).length > 0;
  const anyHandedOver = deps.ledger.saidWords.anyHandedOver();
  for (const task of tasks) {
    const { blocked, name, owner, path, parked_until, paused, pending, waiting, status } = task;
    if (isFinished(status) || status === 'draft' || task.running !== null) continue;
    const circle = blocked ? (circles.find((cycle) => cycle.includes(name)) ?? null) : null;
    const agentProblem = (anyHandedOver ? whyUnsaid(deps, task.id) : null) ?? problemOf(owner, task.id);
    if (circle === null && !hasTrouble && agentProblem === null) {
      // What is asked for and neither paused nor blocked is due: a queue of thousands is not decided over again.
      if (pending && parked_until === null && runs && !paused && !blocked && !waiting)
        obstacles.set(path, LIMIT);
      continue;
    }
    const why = readWhyNot(deps, task, { blockers: task.blocked_by, circle, agentProblem, wait: null });
    if (why !== null && (UNSEEN.has(why.reason) || circle !== null)) obstacles.set(path, why);
  }
  return obstacles;
}

const LIMIT = explainWhyNot('limit', {});
