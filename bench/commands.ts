// What a command costs: whole processes against a Node that does nothing, in a small room and a large one, and
// Taskwarrior on as many tasks, where it is installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM, startDaemon } from './daemon.ts';
import { type Bench, type Figure, median, showCount, showMs } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { msFigure, pacedBound, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const OVER_NODE_MS = 90;
const GROWTH = 1.15;
const STATUS_LIMIT_MS = 600;

/** Arguments of each command, different in every round. */
const COMMANDS: Readonly<Record<string, (task: string, round: number) => string[]>> = {
  set: (task, round) => ['set', task, `estimate=${round}`],
  comment: (task, round) => ['comment', task, `Round ${round}.`],
  done: (_task, round) => ['done', `Finish ${round}`],
  new: (_task, round) => ['new', `Made ${round}`, '--draft'],
  show: (task) => ['show', task],
};

export const commands: Bench = {
  name: 'commands',
  how: `Wall time of \`taskroom set\`, \`comment\`, \`done\`, \`new\` and \`show\` as whole processes, the task named by its file, minus that of
\`node -e 0\` of the same Node, all by turns in one loop; in a room of 100 tasks and one of 10,000, without a daemon and with one; the compile cache is
filled and the room was looked at once. Differences of the medians; the growth is the ratio of the medians of the whole times. Beside them Taskwarrior's
\`task modify\` and \`task export\` of one task on as many tasks, hooks and garbage collection off. Status: the whole time at 100,000 tasks.`,
  async run({ quick, note }) {
    const sizes = quick ? [20, 100] : [100, 10_000];
    const rounds = quick ? 1 : 15;
    const figures: Figure[] = [];
    for (const withDaemon of [false, true]) {
      note(withDaemon ? 'with a daemon' : 'without a daemon');
      figures.push(...(await compareSizes(sizes, rounds, withDaemon, quick)));
    }
    figures.push(await statusFigure(quick ? 200 : 100_000, quick ? 1 : 7, quick));
    return [...figures, ...besideTaskwarrior(sizes.at(-1)!, rounds, figures)];
  },
};

async function openRoom(count: number, rounds: number): Promise<BenchRoom> {
  const room = createRoom({ count, state: 'resting' });
  for (let round = 0; round <= rounds; round += 1) {
    const name = `Finish ${round}.md`;
    writeFileSync(join(room.tasksDir, name), `---\nid: finish${round}\nstatus: draft\n---\n`);
    room.names.push(name);
  }
  await sleep(1_200);
  await prepareLedger(room);
  // The first change in a room takes a look at all.
  runProgram(room, ['run', '--all']);
  return room;
}

async function compareSizes(
  sizes: readonly number[],
  rounds: number,
  withDaemon: boolean,
  quick: boolean,
): Promise<Figure[]> {
  const rooms = [];
  for (const count of sizes) rooms.push({ count, room: await openRoom(count, rounds) });
  const daemons = withDaemon ? await Promise.all(rooms.map(({ room }) => startDaemon(room))) : [];
  const node: number[] = [];
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    const bare = timeOf(() => spawnSync(process.execPath, ['-e', '0']));
    if (round > 0) node.push(bare);
    for (const [name, argumentsOf] of Object.entries(COMMANDS)) {
      for (const { count, room } of round % 2 === 0 ? rooms : rooms.toReversed()) {
        const args = argumentsOf(room.names[7]!.replace(/\.md$/, ''), round);
        const ms = timeOf(() => runProgram(room, args));
        // The first round fills the compile cache.
        if (round > 0) times.set(`${name} ${count}`, [...(times.get(`${name} ${count}`) ?? []), ms]);
      }
    }
  }
  for (const daemon of daemons) await daemon.stop();
  for (const { room } of rooms) removeRoom(room);
  return Object.keys(COMMANDS).flatMap((name) => figuresOf(name, sizes, times, node, withDaemon, quick));
}

function figuresOf(
  name: string,
  sizes: readonly number[],
  times: ReadonlyMap<string, readonly number[]>,
  node: readonly number[],
  withDaemon: boolean,
  quick: boolean,
): Figure[] {
  const how = withDaemon ? ', with a daemon' : '';
  const medians = sizes.map((count) => median(times.get(`${name} ${count}`)!));
  const bound = pacedBound(OVER_NODE_MS, node);
  const over = sizes.map((count, at) => {
    const value = medians[at]! - median(node);
    return {
      what: `${name}, ${showCount(count)} tasks${how}`,
      ours: showMs(medians[at]!),
      peer: `node -e 0: ${showMs(median(node))}`,
      value: `+ ${showMs(value)}`,
      bound: `≤ ${OVER_NODE_MS} ms more${bound.shown}`,
      pass: quick ? null : value <= bound.limitMs,
    };
  });
  const growth = medians.at(-1)! / medians[0]!;
  const grown = {
    what: `${name}, ${showCount(sizes.at(-1)!)} against ${showCount(sizes[0]!)}${how}`,
    ours: showMs(medians.at(-1)!),
    peer: showMs(medians[0]!),
    value: `${growth.toFixed(2)}×`,
    bound: `≤ ${GROWTH}×`,
    pass: quick ? null : growth <= GROWTH,
  };
  return [...over, grown];
}

async function statusFigure(count: number, rounds: number, quick: boolean): Promise<Figure> {
  const room = await openRoom(count, 0);
  const times: number[] = [];
  const node = startNodes();
  for (let round = 0; round <= rounds; round += 1) {
    const ms = timeOf(() => runProgram(room, ['status'], [3]));
    if (round > 0) times.push(ms);
  }
  node.push(...startNodes());
  removeRoom(room);
  const bound = quick ? null : { limitMs: STATUS_LIMIT_MS, nodeMs: node };
  return msFigure(`status, ${showCount(count)} tasks`, median(times), bound);
}

/** Ratios to what Taskwarrior takes for the same work; nothing where it is not installed. */
function besideTaskwarrior(count: number, rounds: number, ours: readonly Figure[]): Figure[] {
  if (spawnSync('task', ['--version']).status !== 0) return [];
  const data = mkdtempSync(join(tmpdir(), 'taskroom-bench-task-'));
  const settings = [
    `rc.data.location=${data}`,
    'rc.confirmation=off',
    'rc.hooks=off',
    'rc.gc=off',
    'rc.verbose=nothing',
  ];
  const env = { ...process.env, TASKRC: '/dev/null' };
  const task = (...args: string[]) => spawnSync('task', [...settings, ...args], { env, input: '' });
  const all = Array.from({ length: count }, (_, at) => ({
    uuid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    description: `Of note old token ${at}`,
    status: 'pending',
    entry: '20261101T000000Z',
  }));
  spawnSync('task', [...settings, 'import', '-'], { env, input: JSON.stringify(all) });
  const times: Record<string, number[]> = { modify: [], export: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const modify = timeOf(() => task(all[7]!.uuid, 'modify', `project:round${round}`));
    const exported = timeOf(() => task(all[7]!.uuid, 'export'));
    if (round > 0) times.modify!.push(modify);
    if (round > 0) times.export!.push(exported);
  }
  rmSync(data, { recursive: true, force: true });
  return [
    besideFigure('set', 'modify', times.modify!, count, ours),
    besideFigure('show', 'export', times.export!, count, ours),
  ];
}

function besideFigure(
  name: string,
  theirs: string,
  times: readonly number[],
  count: number,
  ours: readonly Figure[],
): Figure {
  const own = ours.find(({ what }) => what === `${name}, ${showCount(count)} tasks`)!;
  const ms = Number(own.ours.replace(/[^\d.]/g, ''));
  return {
    what: `${name} beside task ${theirs}, ${showCount(count)} tasks`,
    ours: own.ours,
    peer: `task ${theirs}: ${showMs(median(times))}`,
    value: `${(ms / median(times)).toFixed(2)}×`,
    bound: '',
    pass: null,
  };
}

function timeOf(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}

function runProgram(room: BenchRoom, args: readonly string[], alsoGood: readonly number[] = []): void {
  const result = spawnSync(process.execPath, [PROGRAM, ...args, '--room', room.dir], { encoding: 'utf8' });
  if (result.status !== 0 && !alsoGood.includes(result.status ?? -1))
    throw new Error(`taskroom ${args.join(' ')} ended with ${result.status}: ${result.stderr}`);
}
