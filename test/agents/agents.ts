// Proves the presets with the real programs: `npm run test:agents -- [--write] [agent …]`. Says of each agent what it stood;
// ends with 1 when anything failed, and counts loudly what could not be tried. `--write` puts the table into the docs.
import { PRESET_NAMES, type PresetName } from '../../src/core/config/agent-config.ts';
import { type Found, keepFound, writeMatrix } from './matrix.ts';
import { SCENARIOS } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';

const words = process.argv.slice(2);
const named = words.filter((word) => !word.startsWith('--'));
const unknown = named.filter((name) => !PRESET_NAMES.some((known) => known === name));
if (unknown.length > 0)
  throw new Error(`no preset ${unknown.join(', ')}; there are ${PRESET_NAMES.join(', ')}`);
const names = named.length > 0 ? (named as PresetName[]) : PRESET_NAMES;

const found: Found[] = [];
for (const name of names) {
  const results = await proveAgent(name);
  keepFound(name, results);
  found.push(...results);
}
if (words.includes('--write')) writeMatrix();
const count = (state: Found['state']) => found.filter((one) => one.state === state).length;
process.stdout.write(
  `\n${count('proved')} proved, ${count('failed')} failed, ${count('not tried')} NOT TRIED\n`,
);
process.exitCode = count('failed') > 0 ? 1 : 0;

async function proveAgent(name: PresetName): Promise<Found[]> {
  let stage: Stage;
  try {
    stage = await openStage(name);
  } catch (error) {
    process.stdout.write(`${name}: NOT TRIED: ${String(error)}\n`);
    return SCENARIOS.map((scenario) => ({ scenario: scenario.name, state: 'not tried' }));
  }
  const results: Found[] = [];
  try {
    for (const scenario of SCENARIOS) results.push(await proveScenario(stage, scenario));
  } finally {
    if (process.env.KEEP_STAGE === undefined) await stage.close();
    else process.stdout.write(`kept: ${stage.room.dir}\n`);
  }
  return results;
}

async function proveScenario(stage: Stage, scenario: (typeof SCENARIOS)[number]): Promise<Found> {
  const one = { scenario: scenario.name };
  const from = performance.now();
  try {
    await scenario.prove(stage);
    process.stdout.write(`${stage.name}: ${scenario.name}: proved in ${seconds(from)}\n`);
    return { ...one, state: 'proved' };
  } catch (error) {
    process.stdout.write(
      `${stage.name}: ${scenario.name}: FAILED after ${seconds(from)}\n${(error as Error).message}\n`,
    );
    return { ...one, state: 'failed' };
  }
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
