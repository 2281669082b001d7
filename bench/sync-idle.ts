// A daemon that mirrors, and nothing happens on either side.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Daemon, HAS_PROC, nextEvent, PROGRAM, startDaemon } from './daemon.ts';
import { type BenchOptions, type Figure, limitFigure, showCount, showMs } from './figures.ts';
import { CHORE, TOKEN } from './mirror-room.ts';
import { openBenchRoom, putToRest } from './open-room.ts';
import type { BenchRoom } from './room-files.ts';

const LIMIT_SHARE = 0.005;
const IDLE_MS = 60_000;
const CALM_MS = 3_000;
// The room's chore runs that often.
const EVERY_MS = 300_000;
const SYNC_LIMIT_MS = 60_000;

/** @param room of mirrored tasks, its chore with a schedule of `every 5m` */
export async function idleFigure(
  room: BenchRoom,
  issues: number,
  { quick }: BenchOptions,
): Promise<Figure[]> {
  if (!HAS_PROC) return [];
  const { deps, close } = openBenchRoom(room);
  putToRest(deps);
  await close();
  const daemon = await startDaemon(room, { GITHUB_TOKEN: TOKEN });
  try {
    // It was never run by the schedule: that comes first.
    await ran(daemon, () => undefined);
    const calmMs = quick ? 500 : CALM_MS;
    await sleep(calmMs);
    const idle = await cpuOver(daemon, quick ? 2_000 : IDLE_MS);
    const before = daemon.cpuMs();
    await ran(daemon, () => askFor(room));
    // What it leaves behind (timers, garbage) is part of it.
    await sleep(calmMs);
    const syncMs = daemon.cpuMs() - before;
    const what = `idle with ${showCount(issues)} mirrors, a sync every 5 min, of a core`;
    const share = idle + syncMs / EVERY_MS;
    const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
    return [limitFigure(what, share, quick ? null : LIMIT_SHARE, percent, `a quiet sync: ${showMs(syncMs)}`)];
  } finally {
    await daemon.stop();
  }
}

async function cpuOver(daemon: Daemon, ms: number): Promise<number> {
  const before = daemon.cpuMs();
  await sleep(ms);
  return (daemon.cpuMs() - before) / ms;
}

async function ran(daemon: Daemon, ask: () => void): Promise<void> {
  const finished = nextEvent(
    daemon,
    ({ type }) => type === 'sync.finished' || type === 'sync.failed',
    SYNC_LIMIT_MS,
  );
  ask();
  const { type, message } = await finished;
  if (type === 'sync.failed') throw new Error(`the daemon's sync failed: ${message}`);
}

function askFor({ dir }: BenchRoom): void {
  const { status } = spawnSync(process.execPath, [PROGRAM, 'chores', 'run', CHORE, '--room', dir], {
    stdio: 'ignore',
  });
  if (status !== 0) throw new Error(`taskroom chores run ended with ${status}`);
}
