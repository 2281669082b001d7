// The crash storm as a script, and deaths in the middle of changes of several tasks:
//   npm run test:crash [-- --rounds 100 --seed 1]
import { createRoom } from '../e2e/room.ts';
import { readOptions } from '../support/options.ts';
import { runBulkRounds } from './bulk-rounds.ts';
import { runStorm } from './storm.ts';
import { judge } from './verdict.ts';

const USAGE = 'usage: npm run test:crash [-- --rounds 100 --seed 1]';
const { rounds, seed } = readOptions(USAGE, { rounds: 100, seed: Math.floor(Math.random() * 2 ** 31) });
const say = (line: string) => void process.stdout.write(`${line}\n`);

say(`seed ${seed}, ${rounds} rounds`);
const room = await createRoom();
const end = await runStorm({ room, seed, rounds, tasks: 20, say });
const problems = await judge(room, end);
const [{ turns }] = room.sql('SELECT count(*) AS turns FROM turns') as [{ turns: number }];
say(`${end.kills} kills, ${turns} turns, ${end.typed.length} lines typed`);
for (const problem of problems) say(problem);
if (problems.length === 0) {
  await room.close();
  say('every promise was kept');
} else {
  say(`${problems.length} broken promises; the room is kept: ${room.dir}; repeat with --seed ${seed}`);
  process.exitCode = 1;
}

// A dying bulk takes longer than a dying daemon of the storm.
const broken = await runBulkRounds({ rounds: Math.ceil(rounds / 4), seed, say });
for (const problem of broken) say(problem);
say(broken.length === 0 ? 'every bulk was made, or not at all' : `${broken.length} broken promises of bulks`);
if (broken.length > 0) process.exitCode = 1;
