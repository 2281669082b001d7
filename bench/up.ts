// The daemon as a whole: how soon it is ready, how much memory it takes, and what it costs while nothing happens.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Daemon, HAS_PROC, startDaemon } from './daemon.ts';
import { type Bench, type BenchOptions, type Figure, limitFigure, median, showCount } from './figures.ts';
import { forgetLedger, prepareLedger } from './open-room.ts';
import { msFigure, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const READY_LIMIT_MS = 1_000;
const PEAK_LIMIT_MB = { cold: 300, warm: 400 }; // Of 100,000 tasks.
const IDLE_LIMIT_SHARE = 0.005;
const IDLE_MS = 60_000;
// What a start leaves behind (garbage, first timers) is not idleness.
const CALM_MS = 3_000;
const AT_REST_MS = 1_200;

export const up: Bench = {
  name: 'up',
  how: `\`taskroom up --json\` as a child process, on a room in which every task had its turn. Ready: from just before the spawn to the
\`room.ready\` line, median of 5 warm starts. Peak memory: \`VmHWM\` of the process after a cold start (no ledger) and a warm one,
read when it is ready and again after the idle time. Idle: \`utime + stime\` of the process over 60 s in which nothing happens, from
3 s after the start; the sweeps and timers of that time are in it.`,
  async run(options) {
    const sizes = options.quick ? [1_000] : [10_000, 100_000];
    const figures: Figure[] = [];
    for (const count of sizes) figures.push(...(await measure(count, options)));
    return figures;
  },
};

async function measure(count: number, options: BenchOptions): Promise<Figure[]> {
  options.note(`up: ${showCount(count)} tasks`);
  const room = createRoom({ count, state: 'resting' });
  await sleep(AT_REST_MS);
  const small = count <= 10_000;
  const figures: Figure[] = [];
  const cold = await startOnce(room, async (daemon) => daemon);
  figures.push(timeFigure(`cold start, ${showCount(count)} tasks`, [cold.readyMs], null));
  const warm: number[] = [];
  for (let round = 0; round < (options.quick ? 1 : small ? 5 : 3); round += 1)
    warm.push((await startOnce(room, async (daemon) => daemon)).readyMs);
  const limit = count === 10_000 ? READY_LIMIT_MS : null;
  figures.push(timeFigure(`up ready, warm, ${showCount(count)} tasks`, warm, limit));
  if (HAS_PROC) figures.push(...(await costs(room, options)));
  removeRoom(room);
  return figures;
}

async function startOnce<T>(room: BenchRoom, use: (daemon: Daemon) => Promise<T>): Promise<T> {
  const daemon = await startDaemon(room);
  try {
    return await use(daemon);
  } finally {
    await daemon.stop();
  }
}

async function costs(room: BenchRoom, options: BenchOptions): Promise<Figure[]> {
  const size = `${showCount(room.names.length)} tasks`;
  const show = (value: number) => `${value.toFixed(0)} MB`;
  const limits = room.names.length === 100_000 ? PEAK_LIMIT_MB : null;
  forgetLedger(room);
  const cold = await startOnce(room, async (daemon) => daemon.peakMb());
  await prepareLedger(room);
  const { peak, share, idleMs } = await startOnce(room, (daemon) => idle(daemon, options));
  const idleLimit = options.quick ? null : IDLE_LIMIT_SHARE;
  const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
  return [
    limitFigure(`peak memory, cold start, ${size}`, cold, limits?.cold ?? null, show),
    limitFigure(`peak memory, warm start, ${size}`, peak, limits?.warm ?? null, show),
    limitFigure(`idle over ${idleMs / 1000} s, of a core, ${size}`, share, idleLimit, percent),
  ];
}

async function idle(
  daemon: Daemon,
  { quick }: BenchOptions,
): Promise<{ peak: number; share: number; idleMs: number }> {
  const idleMs = quick ? 2_000 : IDLE_MS;
  await sleep(quick ? 500 : CALM_MS);
  const before = daemon.cpuMs();
  await sleep(idleMs);
  const share = (daemon.cpuMs() - before) / idleMs;
  return { peak: daemon.peakMb(), share, idleMs };
}

function timeFigure(what: string, times: readonly number[], limitMs: number | null): Figure {
  const limit = limitMs === null ? null : { limitMs, nodeMs: startNodes() };
  return msFigure(what, median(times), limit, times.length > 1 ? `${times.length} starts` : '');
}
