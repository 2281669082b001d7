// What is wrong with the `blocked_by` of a set of tasks: circles, and references to nothing. Linear in their number.
import type { ListedTask } from '../../core/task/listed-task.ts';
import { idOfRef } from '../references.ts';

type Node = Pick<ListedTask, 'id' | 'name' | 'path' | 'blocked_by'>;

interface BlockerFaults {
  /** Names along each circle, the first repeated at the end. */
  cycles: string[][];
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
export function circleThrough(tasks: readonly Node[], name: string): string[] | null {
  return findBlockerFaults(tasks).cycles.find((cycle) => cycle.includes(name)) ?? null;
}

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
