// Syncs after the first: nothing changed upstream, or one issue did.
import { type Figure, limitFigure, median, showCount, showMs, timed } from './figures.ts';
import { createMirrorRoom, type OpenMirrors, openMirrorRoom, syncAlone } from './mirror-room.ts';
import { type BenchRoom, removeRoom } from './room-files.ts';
import type { Tracker } from './tracker.ts';

const ROUNDS = 5;

interface Large {
  repo: string;
  issues: number;
}

/** The same number of requests, however many issues are mirrored. */
export async function requestsFigure(
  tracker: Tracker,
  largeRoom: BenchRoom,
  { issues, sizes }: Large & { sizes: readonly number[] },
): Promise<Figure> {
  const counts: number[] = [];
  for (const size of sizes) {
    const repo = `acme/of-${size}`;
    await tracker.fill(repo, size);
    const room = createMirrorRoom({ url: tracker.url, repo });
    counts.push(await quietRequests(tracker, room, size));
    removeRoom(room);
  }
  counts.push(await quietRequests(tracker, largeRoom, null));
  const all = [...sizes, issues].map(showCount).join(', ');
  return {
    what: `requests of a quiet sync, ${all} mirrors`,
    ours: '',
    peer: '',
    value: counts.join(', '),
    bound: 'the same',
    pass: new Set(counts).size === 1,
  };
}

/** @param first how many issues the room has yet to mirror; null when it mirrors them already */
async function quietRequests(tracker: Tracker, room: BenchRoom, first: number | null): Promise<number> {
  const mirrors = await openMirrorRoom(room);
  try {
    if (first !== null && (await mirrors.sync()).created !== first)
      throw new Error('the first mirror is not whole');
    await tracker.served();
    await quietly(mirrors);
    return (await tracker.served()).length;
  } finally {
    await mirrors.close();
  }
}

async function quietly(mirrors: OpenMirrors): Promise<void> {
  const { created, updated, pushed } = await mirrors.sync();
  if (created + updated + pushed > 0) throw new Error('a quiet sync changed something');
}

export async function laterFigures(
  tracker: Tracker,
  room: BenchRoom,
  { repo, issues }: Large,
): Promise<Figure[]> {
  const quiet: number[] = [];
  const changed: number[] = [];
  let requests = 0;
  const mirrors = await openMirrorRoom(room);
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(await timed(() => quietly(mirrors)));
    await tracker.edit(repo, Math.ceil((issues * (round + 1)) / (ROUNDS + 1)));
    await tracker.served();
    changed.push(await timed(() => changedOnce(mirrors)));
    requests = (await tracker.served()).length;
  }
  await mirrors.close();
  const alone = await syncAlone(room);
  const size = `${showCount(issues)} mirrors`;
  const costs = `as a program: ${showMs(alone.wallMs)}, ${showMs(alone.cpuMs)} of a core`;
  return [
    limitFigure(`quiet sync, ${size}`, median(quiet), null, showMs, costs),
    limitFigure(`sync of one changed issue, ${size}`, median(changed), null, showMs, `${requests} requests`),
  ];
}

async function changedOnce(mirrors: OpenMirrors): Promise<void> {
  const { updated } = await mirrors.sync();
  if (updated !== 1) throw new Error(`${updated} tasks changed instead of one`);
}
