// Turns on workers while workers, the host and PostgreSQL are killed, lines between them are cut and clocks are wrong:
//   npm run test:workers [-- --turns 500 --threads 60 --seed 1], or --short for a form of under a minute
import { loadavg } from 'node:os';
import { readOptions } from '../support/options.ts';
import { formatMove } from './worker-moves.ts';
import { AGENT_WORDS } from './worker-runs.ts';
import { openStormSite } from './worker-site.ts';
import { runStorm } from './worker-storm.ts';
import { judge } from './worker-verdict.ts';

const WORKERS = 4;
const USAGE = 'usage: npm run test:workers [-- --turns 500 --threads 60 --seed 1 --keep], or --short';
const isShort = process.argv.includes('--short');
const { turns, threads, seed, keep } = readOptions(
  USAGE,
  { turns: isShort ? 60 : 500, threads: isShort ? 16 : 60, seed: Math.floor(Math.random() * 2 ** 31) },
  ['short', 'keep'],
);
const say = (line: string) => void process.stdout.write(`${line}\n`);

say(`seed ${seed}: ${turns} turns over ${threads} threads on ${WORKERS} workers`);
const site = await openStormSite(WORKERS, AGENT_WORDS);
let problems: string[] = ['it did not come to its end'];
try {
  const end = await runStorm(site, { seed, threads, turns, say });
  const verdict = judge(site, end, await site.stop());
  problems = verdict.problems;
  say(
    `load of the machine ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  say(`${end.seconds.toFixed(0)} s, ${JSON.stringify(verdict.figures)}`);
  say(`faults ${JSON.stringify(end.faults)}, lines cut ${JSON.stringify(site.cuts())}`);
  const killed = end.killedMs.map((ms) => `${(ms / 1000).toFixed(1)} s`);
  say(`agents of turns that were killed were dead after ${killed.join(', ')}`);
  say('turns of workers that died alone, until they ran elsewhere:');
  for (const move of end.moves) say(`  ${formatMove(move)}`);
} finally {
  for (const problem of problems) say(`✗ ${problem}`);
  if (keep && problems.length > 0) say(`kept: ${site.site.room.dir}`);
  else await site.close();
}
say(
  problems.length === 0
    ? 'every promise was kept'
    : `${problems.length} broken promises; repeat with --seed ${seed}`,
);
process.exit(problems.length === 0 ? 0 : 1);
