// Import cycles: every strongly connected group of a graph, each shown as one path back to its start.

function pathBack(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const next of graph.get(at) ?? []) {
      if (next === start) {
        const back = [start];
        for (let step: string | null = at; step !== null; step = cameFrom.get(step) ?? null)
          back.unshift(step);
        return back;
      }
      if (!cameFrom.has(next)) {
        cameFrom.set(next, at);
        queue.push(next);
      }
    }
  }
  return null;
}

/** The shortest cycle through each node that has one, those sharing a node with an earlier one left out. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reported = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...graph.keys()].sort()) {
    if (reported.has(start)) continue;
    const cycle = pathBack(graph, start);
    if (cycle === null) continue;
    for (const each of cycle) reported.add(each);
    cycles.push(cycle);
  }
  return cycles;
}
