// Why a task has no turn now: the facts of files and ledger, handed to the same `decide` that the loop asks. And what is wrong with the
// `blocked_by` of a set of tasks: circles, and references to nothing, found in one look at each.
import { threadOfTask } from '../../core/ids.ts';
import { decide } from '../../core/rules/decide.ts';
import type { Wait } from '../../core/rules/waits.ts';
import { explainWhyNot, type WhyNot, type WhyNotFacts, type WhyNotReason } from '../../core/rules/why-not.ts';
import type { ListedTask } from '../../core/task/listed-task.ts';
import { isFinished } from '../../core/task/status.ts';
import { whyUnsaid } from '../observe/handed-over.ts';
import type { AgentProblemOf } from '../obstacles.ts';
import { idOfRef, turnOfOwnWork } from '../references.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { RoomHandle } from '../task-room.ts';

/** What bears on a task and does not stand in its row. */
interface Obstacles extends Pick<WhyNotFacts, 'agentProblem' | 'blockers' | 'circle'> {
  wait: Wait | null; // What its agent's turns wait for.
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
export const allTrouble = (deps: RoomHandle): { message: string; hint: string | null }[] =>
  JSON.parse(deps.ledger.meta.get('trouble') ?? '[]');

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

type Node = Pick<ListedTask, 'id' | 'name' | 'path' | 'blocked_by'>;

interface BlockerFaults {
  cycles: string[][]; // Names along each circle, the first repeated at the end.
  unknown: { path: string; ref: string }[];
}

/** Looks at every edge once. What is unknown among these tasks may still be in the archive. */
export function findBlockerFaults(tasks: readonly Node[]): BlockerFaults {
  const byRef = new Map<string, Node>();
  for (const task of tasks) if (!byRef.has(task.name)) byRef.set(task.name, task);
  for (const task of tasks) if (task.id !== null) byRef.set(task.id, task);
  const unknown: BlockerFaults['unknown'] = [];
  const edges = new Map<Node, Node[]>();
  for (const task of tasks) {
    const targets: Node[] = [];
    for (const ref of task.blocked_by) {
      const target = byRef.get(idOfRef(ref));
      if (target) targets.push(target);
      else unknown.push({ path: task.path, ref });
    }
    edges.set(task, targets);
  }
  return { cycles: findCircles(tasks, edges), unknown };
}

/** Names along a circle that the task of this name is part of; null when it is in none. */
export const circleThrough = (tasks: readonly Node[], name: string): string[] | null =>
  findBlockerFaults(tasks).cycles.find((cycle) => cycle.includes(name)) ?? null;

function findCircles(tasks: readonly Node[], edges: ReadonlyMap<Node, readonly Node[]>): string[][] {
  const state = new Map<Node, 'open' | 'closed'>();
  const cycles: string[][] = [];
  for (const start of tasks) {
    if (state.has(start)) continue;
    // An explicit stack: a chain of a hundred thousand tasks is no reason to run out of one.
    const path: { node: Node; next: number }[] = [{ node: start, next: 0 }];
    state.set(start, 'open');
    while (path.length > 0) {
      const top = path.at(-1)!;
      const target = edges.get(top.node)![top.next];
      top.next += 1;
      if (target === undefined) {
        state.set(top.node, 'closed');
        path.pop();
      } else if (state.get(target) === 'open') {
        const from = path.findIndex(({ node }) => node === target);
        cycles.push([...path.slice(from).map(({ node }) => node.name), target.name]);
      } else if (!state.has(target)) {
        state.set(target, 'open');
        path.push({ node: target, next: 0 });
      }
    }
  }
  return cycles;
}
