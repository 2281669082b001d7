// Proves the agents with the real programs: `npm run test:agents -- [--write] [--only=WORDS] [agent …]`. Says of each agent
// what it stood; ends with 1 when anything failed, and counts loudly what could not be tried. `--write` puts the table into
// the docs.
import { type Found, keepFound, writeMatrix } from './matrix.ts';
import { SCENARIOS } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';
import { chooseSubjects, labelOf, type Subject } from './subjects.ts';

const ONLY = '--only=';
const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith(ONLY))?.slice(ONLY.length);
const found: Found[] = [];
for (const subject of chooseSubjects(words.filter((word) => !word.startsWith('--')))) {
  const results = await proveAgent(subject);
  if (only === undefined) keepFound(subject, results);
  found.push(...results);
}
if (words.includes('--write')) writeMatrix();
const count = (state: Found['state']) => found.filter((one) => one.state === state).length;
process.stdout.write(
  `\n${count('proved')} proved, ${count('failed')} failed, ${count('not tried')} NOT TRIED\n`,
);
process.exitCode = count('failed') > 0 ? 1 : 0;

async function proveAgent(subject: Subject): Promise<Found[]> {
  const scenarios = SCENARIOS.filter(
    ({ name, of }) =>
      (of ?? subject.runner) === subject.runner && (only === undefined || new RegExp(only).test(name)),
  );
  let stage: Stage;
  try {
    stage = await openStage(subject);
  } catch (error) {
    process.stdout.write(`${labelOf(subject)}: NOT TRIED: ${String(error)}\n`);
    return scenarios.map((scenario) => ({ scenario: scenario.name, state: 'not tried' }));
  }
  const results: Found[] = [];
  try {
    for (const scenario of scenarios) results.push(await proveScenario(stage, scenario));
  } finally {
    await stage.close(process.env.KEEP_STAGE !== undefined);
  }
  return results;
}

async function proveScenario(stage: Stage, scenario: (typeof SCENARIOS)[number]): Promise<Found> {
  const one = { scenario: scenario.name };
  const from = performance.now();
  try {
    await scenario.prove(stage);
    process.stdout.write(`${labelOf(stage)}: ${scenario.name}: proved in ${seconds(from)}\n`);
    return { ...one, state: 'proved' };
  } catch (error) {
    process.stdout.write(
      `${labelOf(stage)}: ${scenario.name}: FAILED after ${seconds(from)}\n${(error as Error).message}\n`,
    );
    return { ...one, state: 'failed' };
  }
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
