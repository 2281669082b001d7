// Cold scan (no ledger: everything is read, parsed and recorded) and warm scan (nothing changed), each against the
// least that any program would have to do with the same files.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import {
  type Bench,
  type BenchOptions,
  byTurns,
  type Figure,
  ratioFigure,
  showCount,
  timed,
} from './figures.ts';
import { createBenchObserve, forgetLedger, openBenchRoom, takeIn } from './open-room.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const ROUNDS: Record<number, number> = { 100: 41, 1000: 21, 10000: 9, 100000: 3 };
/** How many times the peer's time ours may take; with few files, opening the ledger is a large part of it. */
const FEW = { cold: 2, warm: 2, later: 2 };
const MANY = { cold: 1.35, warm: 1.25, later: 1.1 };
// Files younger than this are read with care, one by one.
const AT_REST_MS = 1_200;

export const scan: Bench = {
  name: 'scan',
  how: `Cold: no ledger; the first scan of the loop (listing, stat, read, parse, record in the ledger, synchronous FULL) against a bare
loop in the same process that reads the same files and runs \`yaml.parse\` on their front matter. Warm: the ledger is
there and nothing changed; the first look (stamps loaded from the ledger, listing, stat of every file, check for what
nobody observed) and a later sweep (stamps in memory) against a bare \`readdirSync\` and \`statSync\` of every file. Ours and
the peer run by turns, the order swapping each round, young garbage collected before each; medians. The page cache is warm for both.`,
  async run(options) {
    const sizes = options.quick ? [100, 1_000] : [100, 1_000, 10_000, 100_000];
    const figures: Figure[] = [];
    await warmUp(options);
    for (const count of sizes) figures.push(...(await scanRoom(count, options)));
    return figures;
  },
};

/** Lets both sides be compiled before anything counts. */
async function warmUp({ quick }: BenchOptions): Promise<void> {
  const room = createRoom({ count: quick ? 50 : 500, state: 'resting' });
  await sleep(AT_REST_MS);
  for (let round = 0; round < (quick ? 1 : 6); round += 1) {
    await coldScan(room);
    bareRead(room);
    await warmScan(room);
    bareStat(room);
  }
  removeRoom(room);
}

async function scanRoom(count: number, options: BenchOptions): Promise<Figure[]> {
  options.note(`scan: ${showCount(count)} tasks`);
  const room = createRoom({ count, state: 'resting' });
  await sleep(AT_REST_MS);
  const rounds = options.quick ? 1 : ROUNDS[count]!;
  const bareReadMs = () => timed(() => bareRead(room));
  const cold = await byTurns(rounds, () => coldScan(room), bareReadMs);
  const bareStatMs = () => timed(() => bareStat(room));
  const warm = await byTurns(rounds, () => warmScan(room), bareStatMs);
  const sweep = await sweepAgain(room, rounds);
  removeRoom(room);
  const size = `${showCount(count)} tasks`;
  // A quick run is too short for the ratio to mean something.
  const limits = options.quick ? null : count < 10_000 ? FEW : MANY;
  const read = (times: number[]) => ({ name: 'read + yaml.parse', times });
  const stat = (times: number[]) => ({ name: 'readdir + stat', times });
  return [
    ratioFigure(`cold scan, ${size}`, cold.first, read(cold.second), limits?.cold ?? null),
    ratioFigure(`warm scan, ${size}`, warm.first, stat(warm.second), limits?.warm ?? null),
    ratioFigure(`later sweep, ${size}`, sweep.first, stat(sweep.second), limits?.later ?? null),
  ];
}

async function coldScan(room: BenchRoom): Promise<number> {
  forgetLedger(room);
  const { deps, close } = openBenchRoom(room);
  const ms = await timed(() => takeIn(deps, room.names.length));
  await close();
  return ms;
}

async function warmScan(room: BenchRoom): Promise<number> {
  const { deps, close } = openBenchRoom(room);
  const ms = await timed(() => takeIn(deps, 0));
  await close();
  return ms;
}

async function sweepAgain(room: BenchRoom, rounds: number): Promise<{ first: number[]; second: number[] }> {
  const { deps, close } = openBenchRoom(room);
  const observe = createBenchObserve(deps);
  const times = await byTurns(
    rounds,
    () => timed(() => observe.rescan()),
    () => timed(() => bareStat(room)),
  );
  observe.close();
  await close();
  return times;
}

function bareRead({ tasksDir }: BenchRoom): number {
  let keys = 0;
  for (const name of readdirSync(tasksDir)) {
    const text = readFileSync(join(tasksDir, name), 'utf8');
    keys += Object.keys(parse(text.slice(4, text.indexOf('\n---', 4)))).length;
  }
  return keys;
}

function bareStat({ tasksDir }: BenchRoom): number {
  let bytes = 0;
  for (const name of readdirSync(tasksDir)) bytes += statSync(join(tasksDir, name)).size;
  return bytes;
}
