// Deaths between a write upstream and its record, as a script: npm run test:sync-crash [-- --rounds 50]
import { readOptions } from '../support/options.ts';
import { runRounds } from './sync-rounds.ts';

const { rounds } = readOptions('usage: npm run test:sync-crash [-- --rounds 50]', { rounds: 50 });
const say = (line: string) => void process.stdout.write(`${line}\n`);

const problems = await runRounds({ rounds, say });
for (const problem of problems) say(problem);
say(
  problems.length === 0 ? `${rounds * 2} deaths, exactly one of each` : `${problems.length} broken promises`,
);
if (problems.length > 0) process.exitCode = 1;
