// Agents that print a lot: what their output costs the daemon, and whether it still sees a save at once.
import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Daemon, nextEvent, PROGRAM, startDaemon } from './daemon.ts';
import { type Bench, type Figure, limitFigure, percentile, showMs } from './figures.ts';
import { msFigure, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const AGENTS = 20;
const MB_A_SECOND = 10;
const CHUNKS_A_SECOND = 2;
const MEMORY_LIMIT_MB = 300;
const EVENT_LIMIT_MS = 100;
const EVENT_WAIT_MS = 30_000;

export const output: Bench = {
  name: 'output',
  how: `A real daemon with ${AGENTS} turns at once; each agent, a shell, prints ${(MB_A_SECOND / AGENTS).toFixed(1)} MB/s in ${CHUNKS_A_SECOND} pieces a second, together ${MB_A_SECOND} MB/s, for 20 s. Meanwhile
a file beside them is saved every 200 ms with another status, by a temporary file and rename, and the time runs from just before the
rename to the event \`task.changed\` on the daemon's standard output. Memory: \`VmHWM\` of the daemon at the end.`,
  async run({ quick, note }) {
    const bytes = (MB_A_SECOND * 1e6) / AGENTS / CHUNKS_A_SECOND;
    const script = `x=$(head -c ${bytes} /dev/zero | tr '\\0' x); while :; do echo "$x"; sleep ${1 / CHUNKS_A_SECOND}; done`;
    const room = createRoom({
      count: AGENTS,
      state: 'todo',
      command: ['/bin/sh', '-c', script],
      settings: `settle: 0\nmax_output_bytes: 1GiB\nlimits:\n  total: ${AGENTS}\n  task: ${AGENTS}\n`,
    });
    const daemon = await startDaemon(room);
    try {
      await allPrint(room);
      const before = { at: performance.now(), bytes: printed(room) };
      note('saving beside them');
      const times = await saveBeside(room, daemon, quick ? 5 : 100);
      const rate = (printed(room) - before.bytes) / 1e3 / (performance.now() - before.at);
      return figures(times, rate, daemon.peakMb(), quick);
    } finally {
      spawnSync(process.execPath, [PROGRAM, 'stop', '--now', '--room', room.dir]);
      removeRoom(room);
    }
  },
};

function figures(times: readonly number[], mbASecond: number, peakMb: number, quick: boolean): Figure[] {
  const what = `${AGENTS} agents printing together`;
  const rate = `${mbASecond.toFixed(1)} MB/s`;
  const showMb = (mb: number) => `${Math.round(mb)} MB`;
  return [
    limitFigure(`peak memory of the daemon, ${what}`, peakMb, quick ? null : MEMORY_LIMIT_MB, showMb, rate),
    msFigure(
      `save to its event, ${what}, ${times.length} saves, p99`,
      percentile(times, 0.99),
      quick ? null : { limitMs: EVENT_LIMIT_MS, nodeMs: startNodes() },
      `p50 ${showMs(percentile(times, 0.5))}`,
    ),
  ];
}

function outputs({ dir }: BenchRoom): number[] {
  const turns = join(dir, '.taskroom', 'turns');
  return readdirSync(turns).map(
    (turn) => statSync(join(turns, turn, 'output.log'), { throwIfNoEntry: false })?.size ?? 0,
  );
}

const printed = (room: BenchRoom): number => outputs(room).reduce((sum, size) => sum + size, 0);

async function allPrint(room: BenchRoom): Promise<void> {
  while (outputs(room).filter((size) => size > 0).length < AGENTS) await sleep(50);
}

async function saveBeside({ dir }: BenchRoom, daemon: Daemon, saves: number): Promise<number[]> {
  const path = join(dir, 'tasks', 'Beside.md');
  const temp = join(dir, 'tasks', '.beside');
  const times: number[] = [];
  const write = (status: string) =>
    writeFileSync(temp, `---\nid: beside1\nstatus: ${status}\n---\nBeside.\n`);
  const seen = nextEvent(daemon, ({ type, id }) => type === 'task.seen' && id === 'beside1', EVENT_WAIT_MS);
  write('draft');
  renameSync(temp, path);
  await seen;
  for (let save = 0; save < saves; save += 1) {
    await sleep(200);
    write(save % 2 === 0 ? 'canceled' : 'draft');
    const changed = nextEvent(
      daemon,
      ({ type, id }) => type === 'task.changed' && id === 'beside1',
      EVENT_WAIT_MS,
    );
    const startedAt = performance.now();
    renameSync(temp, path);
    await changed;
    times.push(performance.now() - startedAt);
  }
  return times;
}
