// Proves the agents with the real programs: `npm run test:agents -- [--write] [--worker] [--only=WORDS] [agent … | inspector]`. Says of each
// what it stood; ends with 1 when anything failed, and counts loudly what could not be tried. `--write` puts the table into
// the docs. With `--worker` turns run on a worker, a process of its own that meets the room through PostgreSQL.

import { type Postgres, startPostgres } from '../support/postgres.ts';
import { INSPECTIONS, withInspector } from './inspector.ts';
import { type Found, keepFound, writeMatrix } from './matrix.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';
import { chooseSubjects, labelOf, type Subject } from './subjects.ts';

const INSPECTOR = 'inspector';
const ONLY = '--only=';
const STAGES = 3; // Of one agent, on a machine of two cores.
const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith(ONLY))?.slice(ONLY.length);
const found: Found[] = [];
const named = words.filter((word) => !word.startsWith('--'));
if (named.includes(INSPECTOR) || (named.length === 0 && only === undefined)) found.push(...(await inspect()));
const postgres = words.includes('--worker') ? await startPostgres() : null;
const subjects = named.filter((word) => word !== INSPECTOR);
for (const subject of named.includes(INSPECTOR) && subjects.length === 0 ? [] : chooseSubjects(subjects)) {
  const results = await proveAgent(subject, postgres);
  keepFound(subject, results, postgres === null ? 'beside' : 'worker');
  found.push(...results);
}
await postgres?.close();
if (words.includes('--write')) writeMatrix();
const count = (state: Found['state']) => found.filter((one) => one.state === state).length;
process.stdout.write(
  `\n${count('proved')} proved, ${count('failed')} failed, ${count('not tried')} NOT TRIED\n`,
);
process.exitCode = count('failed') > 0 ? 1 : 0;

async function proveAgent(subject: Subject, queue: Postgres | null): Promise<Found[]> {
  const scenarios = SCENARIOS.filter(
    ({ name, of, besideAlone }) =>
      (of ?? subject.runner) === subject.runner &&
      (queue === null || besideAlone === undefined) &&
      (only === undefined || new RegExp(only).test(name)),
  );
  // Most of the time an agent waits: several stages go on at once. One queue has one room.
  const stageOf = ({ onNote }: Scenario, at: number) => (onNote || queue !== null ? 0 : at % STAGES);
  const parts = [...Map.groupBy(scenarios.entries(), ([at, scenario]) => stageOf(scenario, at)).values()];
  const stages: Stage[] = [];
  const results: Found[] = [];
  const proveOn = async (stage: Stage, at: number) => {
    for (const [, { name, prove }] of parts[at]!)
      results.push(await attempt(labelOf(subject), name, () => prove(stage)));
  };
  try {
    const failure = await openAll().catch(String);
    if (failure === undefined) await Promise.all(stages.map(proveOn));
    else process.stdout.write(`${labelOf(subject)}: NOT TRIED: ${failure}\n`);
    return failure === undefined
      ? results
      : scenarios.map(({ name }) => ({ scenario: name, state: 'not tried' }));
  } finally {
    for (const stage of stages) await stage.close(process.env.KEEP_STAGE !== undefined);
  }

  async function openAll(): Promise<void> {
    while (stages.length < parts.length) stages.push(await openStage(subject, queue));
  }
}

/** The server of the room, by a client of others. */
async function inspect(): Promise<Found[]> {
  const results: Found[] = [];
  try {
    await withInspector(async (prove, scenario) => {
      results.push(await attempt(INSPECTOR, scenario, async () => prove()));
    });
    return results;
  } catch (error) {
    process.stdout.write(`${INSPECTOR}: NOT TRIED: ${String(error)}\n`);
    return INSPECTIONS.map(({ name }) => ({ scenario: name, state: 'not tried' }));
  }
}

async function attempt(who: string, scenario: string, prove: () => Promise<void>): Promise<Found> {
  const from = performance.now();
  try {
    await prove();
    process.stdout.write(`${who}: ${scenario}: proved in ${seconds(from)}\n`);
    return { scenario, state: 'proved' };
  } catch (error) {
    const { message } = error as Error;
    process.stdout.write(`${who}: ${scenario}: FAILED after ${seconds(from)}\n${message}\n`);
    return { scenario, state: 'failed' };
  }
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
