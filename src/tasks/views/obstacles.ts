// What keeps tasks of a list from their turn where their other facts don't show it: an agent that can't run, a reached limit,
// trouble outside, a circle of blockers. Linear in the tasks, and asks the ledger only about the few it takes a closer look at.
import { explainWhyNot, type WhyNot } from '../../core/rules/why-not.ts';
import { isFinished } from '../../core/task/status.ts';
import { findBlockerFaults } from '../doctor/blocker-faults.ts';
import { whyUnsaid } from '../observe/handed-over.ts';
import type { AgentProblemOf, RoomHandle } from '../room-handle.ts';
import type { TaskRow } from '../shapes/task.ts';
import { readTrouble, readWhyNot } from './why-not.ts';

/** Reasons that the facts of a view do not show. */
const UNSEEN: ReadonlySet<string> = new Set(['no_agent', 'trouble', 'limit']);

/** Obstacles by the tasks' paths. */
export function readObstacles(
  handle: RoomHandle,
  tasks: readonly TaskRow[],
  problemOf: AgentProblemOf,
): Map<string, WhyNot> {
  const obstacles = new Map<string, WhyNot>();
  const circles = findBlockerFaults(tasks.filter(({ blocked }) => blocked)).cycles;
  const runs = handle.ports.daemonRuns();
  const trouble = runs ? readTrouble(handle) : null;
  const anyHandedOver = handle.deps.ledger.checks.anyHandedOver();
  for (const task of tasks) {
    const { blocked, name, owner, path, parked_until, paused, pending, waiting, status } = task;
    if (isFinished(status) || status === 'draft' || task.running !== null) continue;
    const circle = blocked ? (circles.find((cycle) => cycle.includes(name)) ?? null) : null;
    const unsaid = anyHandedOver ? whyUnsaid(handle.deps, task.id) : null;
    const agentProblem = unsaid ?? problemOf(owner);
    if (circle === null && trouble === null && agentProblem === null) {
      // What is asked for and neither paused nor blocked is due: a queue of thousands is not decided over again.
      if (pending && parked_until === null && runs && !paused && !blocked && !waiting)
        obstacles.set(path, LIMIT);
      continue;
    }
    const why = readWhyNot(handle, task, { blockers: task.blocked_by, circle, agentProblem, wait: null });
    if (why !== null && (UNSEEN.has(why.reason) || circle !== null)) obstacles.set(path, why);
  }
  return obstacles;
}

const LIMIT = explainWhyNot('limit', {
  status: '',
  blockers: [],
  circle: null,
  agentProblem: null,
  retryAt: null,
  wait: null,
  trouble: null,
});
