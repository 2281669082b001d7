// What every runner that runs programs must hold, with real programs: no process outlives its turn, no finish is lost,
// output is kept byte for byte and costs no memory.
import { adoptingConformance } from './runner-adopting.ts';
import { createBench, type RunnerSetup } from './runner-bench.ts';
import { endsConformance } from './runner-ends.ts';
import { outputConformance } from './runner-output.ts';
import { stoppingConformance } from './runner-stopping.ts';
import { surroundingsConformance } from './runner-surroundings.ts';

export function runnerConformance(name: string, setup: RunnerSetup): void {
  const bench = createBench(name, setup);
  endsConformance(bench);
  outputConformance(bench);
  stoppingConformance(bench);
  if (setup.create().survives) adoptingConformance(bench);
  surroundingsConformance(bench);
}
