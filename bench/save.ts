// From the save of a file to the first instruction of the turn's program, one edit at a time.
import { spawnSync } from 'node:child_process';
import { constants, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../test/support/random.ts';
import { type Daemon, nextEvent, startDaemon } from './daemon.ts';
import { type Bench, type BenchOptions, type Figure, percentile, showCount, showMs } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { msFigure, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const P50_LIMIT_MS = 30;
const P99_LIMIT_MS = 150;
const TURN_LIMIT_MS = 30_000;

export const save: Bench = {
  name: 'save',
  how: `A daemon with \`settle: 0\` on 10,000 tasks, none of them due. A line is added to the Notes of a random task, every other time by a
temporary file and rename, else by writing the file in place. The clock starts just before the rename or the write, and stops when the agent, a
shell that writes one line into a pipe as its first act, is heard: the shell's start and the pipe are in the figure. The next edit
follows up to 30 ms after the end of the turn, 400 edits in all.`,
  async run(options) {
    const count = options.quick ? 200 : 10_000;
    const edits = options.quick ? 10 : 400;
    const command = ['/bin/sh', '-c', 'echo "$TASKROOM_TASK" > "$AGENT_ROOM/started"'];
    const room = createRoom({ count, state: 'todo', settings: 'settle: 0\nhold_above: 0\n', command });
    await sleep(1_200);
    await prepareLedger(room);
    const daemon = await startDaemon(room);
    const pipe = openPipe(join(room.dir, 'started'));
    try {
      const before = startNodes();
      const times = await editOneByOne(room, daemon, pipe, edits);
      return toFigures(times, [...before, ...startNodes()], options, count);
    } finally {
      pipe.destroy();
      await daemon.stop();
      removeRoom(room);
    }
  },
};

type Way = 'rename' | 'in place';

function toFigures(
  times: readonly { way: Way; ms: number }[],
  nodeMs: readonly number[],
  { quick }: BenchOptions,
  count: number,
): Figure[] {
  const all = times.map(({ ms }) => ms);
  const what = `save to turn's process, ${showCount(count)} tasks, ${times.length} edits`;
  const ways = (['rename', 'in place'] as const).map((way) => {
    const ms = times.filter((each) => each.way === way).map((each) => each.ms);
    return `${way} ${showMs(percentile(ms, 0.5))}`;
  });
  const bound = (limitMs: number) => (quick ? null : { limitMs, nodeMs });
  return [
    msFigure(`${what}, p50`, percentile(all, 0.5), bound(P50_LIMIT_MS), ways.join(', ')),
    msFigure(`${what}, p99`, percentile(all, 0.99), bound(P99_LIMIT_MS), `max ${showMs(Math.max(...all))}`),
  ];
}

function openPipe(path: string): Socket {
  const made = spawnSync('mkfifo', [path]);
  if (made.status !== 0) throw new Error(`mkfifo failed: ${String(made.stderr)}`);
  // Opened for reading and writing, so that it never ends when an agent closes it.
  return new Socket({
    fd: openSync(path, constants.O_RDWR | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });
}

async function editOneByOne(
  room: BenchRoom,
  daemon: Daemon,
  pipe: Socket,
  edits: number,
): Promise<{ way: Way; ms: number }[]> {
  const random = createRandom(7);
  const times: { way: Way; ms: number }[] = [];
  for (let edit = 0; edit < edits + 10; edit += 1) {
    const path = join(room.tasksDir, room.names[Math.floor(random() * room.names.length)]!);
    const text = readFileSync(path, 'utf8').replace(
      '\n## Progress\n',
      `A note, number ${edit}.\n\n## Progress\n`,
    );
    const way: Way = edit % 2 === 0 ? 'rename' : 'in place';
    const heard = new Promise<number>((resolve) => pipe.once('data', () => resolve(performance.now())));
    const ended = nextEvent(daemon, ({ type }) => type === 'turn.ended', TURN_LIMIT_MS);
    const savedAt = saveFile(path, text, way);
    const [startedAt] = await Promise.all([heard, ended]);
    // The first ones compile the daemon's code.
    if (edit >= 10) times.push({ way, ms: startedAt - savedAt });
    await sleep(random() * 30);
  }
  return times;
}

/** @returns the moment just before the file changes under its name */
function saveFile(path: string, text: string, way: Way): number {
  if (way === 'in place') {
    const savedAt = performance.now();
    writeFileSync(path, text);
    return savedAt;
  }
  const fresh = `${path.slice(0, -'.md'.length)}.tmp`;
  writeFileSync(fresh, text);
  const savedAt = performance.now();
  renameSync(fresh, path);
  return savedAt;
}
