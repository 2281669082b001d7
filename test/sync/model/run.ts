// One sequence of the model-based test, from an empty room to the verdict.
import fc from 'fast-check';
import { PUSHES } from '../../../src/core/chore/chore.ts';
import type { Step } from './step.ts';
import { perform, STEP_KINDS } from './steps.ts';
import { judgeEnd, judgeTrust } from './verdict.ts';
import { createWorld, type WorldSetting } from './world.ts';

const ALL = PUSHES.filter((one) => one !== 'notes' && one !== 'steps');
const DEFAULT = ['status', 'progress', 'outcome', 'comments'] as const;

export const anySetting: fc.Arbitrary<WorldSetting> = fc.record({
  push: fc.constantFrom([...ALL], [...ALL], [...ALL], [...DEFAULT], []),
  prefer: fc.constantFrom('remote', 'local', 'newest'),
  ...{ workflow: fc.boolean(), rewrites: fc.boolean(), partialComments: fc.boolean() },
  ...{ deletionTouches: fc.boolean(), pageSize: fc.constantFrom(1, 100) },
  ...{ resolutionMs: fc.constantFrom(1, 1000), onDelete: fc.constantFrom('forget', 'cancel') },
  ...{ closedToo: fc.boolean(), stranger: fc.boolean() },
});

export const anySteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...STEP_KINDS),
    a: fc.nat(11),
    b: fc.nat(59),
    c: fc.nat(59),
    sync: fc.constantFrom(false, false, true),
  }),
  { maxLength: 14, size: 'max' },
);

/** Every sequence begins with an issue that is mirrored: the rest has something to happen to. */
const FIRST: readonly Step[] = [{ kind: 'remote.open', a: 0, b: 1, c: 1, sync: true }];
const RELEASED: readonly Step[] = [
  { kind: 'remote.open', a: 0, b: 0, c: 1, sync: true },
  { kind: 'local.resume', a: 0, b: 0, c: 1, sync: true },
];

/**
 * Runs one sequence.
 * @returns what was broken, one line each; empty when all is well
 */
export async function runSequence(
  setting: WorldSetting,
  seed: number,
  steps: readonly Step[],
): Promise<string[]> {
  const world = createWorld(setting, seed);
  try {
    for (const [at, step] of [...(setting.stranger ? RELEASED : FIRST), ...steps].entries()) {
      await perform(world, step);
      world.later(1000);
      if (step.sync && !world.dead) await world.run();
      const problems = judgeTrust(world);
      if (problems.length > 0) return problems.map((line) => `after step ${at} (${step.kind}): ${line}`);
    }
    return await judgeEnd(world);
  } finally {
    await world.close();
  }
}

export type ModelOptions = { runs: number; seed?: number };

/** Checks many sequences; fails with the smallest that breaks a promise. */
export async function checkSequences({ runs, seed }: ModelOptions): Promise<void> {
  const property = fc.asyncProperty(anySetting, fc.nat(), anySteps, async (setting, random, steps) => {
    const problems = await runSequence(setting, random, steps);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
}
