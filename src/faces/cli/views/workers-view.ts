// Workers as lines of a terminal, each with its turns.
import type { OutputOf } from '../../../operations/client.ts';
import { workerLine } from '../lines/worker-lines.ts';
import type { Paint } from '../paint.ts';

export function workersLines({ workers }: OutputOf<'listWorkers'>, paint: Paint): string[] {
  if (workers.length === 0)
    return [paint('dim', 'no workers: docs/scaling.md says how another machine becomes one')];
  return workers.flatMap((worker) => [
    workerLine(worker, paint),
    ...worker.turns.map((turn) => `    ${turn}`),
  ]);
}
