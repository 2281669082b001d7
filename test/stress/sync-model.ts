// The model-based test of sync for as long as one wants: new sequences each time, in portions.
//   sync-model.ts [runs] [seed]     or FC_RUNS=20000
import { checkSequences } from '../sync/model/run.ts';

const runs = Number(process.argv[2] ?? process.env.FC_RUNS ?? 20_000);
const first = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const PORTION = 1000;

const startedAt = performance.now();
for (let done = 0; done < runs; done += PORTION) {
  const seed = first + done;
  await checkSequences({ runs: Math.min(PORTION, runs - done), seed });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(
    `${Math.min(runs, done + PORTION)} of ${runs} sequences, ${seconds} s (seed ${seed})\n`,
  );
}
