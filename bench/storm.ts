// Files saved all the time beside a running daemon: whether its memory grows with what was saved.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../test/support/random.ts';
import { HAS_PROC, residentMbOf, startDaemon } from './daemon.ts';
import { type Bench, type Figure, limitFigure, showCount } from './figures.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const TASKS = 500;
// So many of them are open: each of their saves gets a turn.
const OPEN = 5;
const SAVES_A_SECOND = 100;
const MINUTES = 8;
const LIMIT_MB_A_MINUTE = 1;
// The lowest of so long is what stays after a collection.
const WINDOW_MS = 10_000;

export const storm: Bench = {
  name: 'storm',
  how: `A daemon on ${TASKS} tasks, ${OPEN} of them open and their agent \`true\`. For ${MINUTES} minutes ${SAVES_A_SECOND} files a second, chosen at random, are saved with another
note in the place of the last, every other time by a temporary file and rename, else in place. \`VmRSS\` of the daemon is read each
second; the lowest of each ten seconds counts, and the figure is the slope of a straight line through those of the second half.`,
  async run({ quick, note }) {
    if (!HAS_PROC) return [];
    const lasts = quick ? 4_000 : MINUTES * 60_000;
    const room = createRoom({ count: TASKS, state: 'paused', settings: 'settle: 0\nhold_above: 0\n' });
    for (const name of room.names.slice(0, OPEN)) unpause(join(room.tasksDir, name));
    await sleep(1_200);
    const daemon = await startDaemon(room);
    try {
      const samples = await saveAndSample(room, daemon.pid, lasts, note);
      return [toFigure(samples, lasts, quick)];
    } finally {
      await daemon.stop();
      removeRoom(room);
    }
  },
};

interface Sample {
  atMs: number;
  mb: number;
}

function unpause(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace('paused: true', 'paused: false'));
}

async function saveAndSample(
  { tasksDir, names }: BenchRoom,
  pid: number,
  lastsMs: number,
  note: (text: string) => void,
): Promise<Sample[]> {
  const random = createRandom(13);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  for (let save = 0; ; save += 1) {
    const atMs = performance.now() - startedAt;
    if (atMs > lastsMs) return samples;
    if (save % SAVES_A_SECOND === 0) samples.push({ atMs, mb: residentMbOf(pid) });
    if (save % (SAVES_A_SECOND * 30) === 0) note(`storm: ${samples.at(-1)!.mb.toFixed(0)} MB`);
    saveOne(join(tasksDir, names[Math.floor(random() * names.length)]!), save);
    await sleep(Math.max(0, ((save + 1) * 1_000) / SAVES_A_SECOND - (performance.now() - startedAt)));
  }
}

function saveOne(path: string, save: number): void {
  const text = readFileSync(path, 'utf8').replace(
    /\n(?:A note, number \d+\.\n\n)?## Progress\n/,
    `\nA note, number ${save}.\n\n## Progress\n`,
  );
  if (save % 2 === 0) return writeFileSync(path, text);
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

function toFigure(samples: readonly Sample[], lastsMs: number, quick: boolean): Figure {
  const late = lowest(samples.filter(({ atMs }) => atMs >= lastsMs / 2));
  const show = (mb: number) => `${mb.toFixed(2)} MB a minute`;
  return limitFigure(
    `memory of the daemon, ${SAVES_A_SECOND} saves a second, ${showCount(TASKS)} tasks`,
    slope(late) * 60_000,
    quick ? null : LIMIT_MB_A_MINUTE,
    show,
    `${late[0]!.mb.toFixed(0)} MB half-way, ${late.at(-1)!.mb.toFixed(0)} MB at the end`,
  );
}

/** The lowest sample of each window. */
function lowest(samples: readonly Sample[]): Sample[] {
  const windows = Map.groupBy(samples, ({ atMs }) => Math.floor(atMs / WINDOW_MS));
  return [...windows.values()].map((each) => each.reduce((low, one) => (one.mb < low.mb ? one : low)));
}

/** MB a millisecond, by least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number) =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [at, mb] = [mean(({ atMs }) => atMs), mean((one) => one.mb)];
  const spread = mean(({ atMs }) => (atMs - at) ** 2);
  return spread === 0 ? 0 : mean((one) => (one.atMs - at) * (one.mb - mb)) / spread;
}
