// Mirrors at size: what a first mirror costs against the least that any program would have to do for it, and what a
// sync costs when nothing, or one issue, changed upstream.
import {
  type Bench,
  type BenchOptions,
  type Figure,
  limitFigure,
  ratioFigure,
  showCount,
  showMs,
  timed,
} from './figures.ts';
import { type AloneCosts, createMirrorRoom, openMirrorRoom, syncAlone } from './mirror-room.ts';
import { type BenchRoom, removeRoom } from './room-files.ts';
import { download, type Made, makeFolder, readMade, writeDurably, writePlainly } from './sync-bare.ts';
import { idleFigure } from './sync-idle.ts';
import { laterFigures, requestsFigure } from './sync-later.ts';
import { startTracker, type Tracker } from './tracker.ts';

const LARGE = 'acme/large';
const TIMES_LIMIT = 2;
const PAGE_SIZE = 100;
// The account, and one to spare; relations would come on top.
const MORE_REQUESTS = 2;

export const sync: Bench = {
  name: 'sync',
  how: `A GitHub-shaped server in a process of its own, stricter than GitHub, its pages prepared; issues with 0.6 KB of text and two comments each on
average. First mirror: an empty room, the real runtime and provider in the bench's process, from the call to its report, every file and the
ledger durable; the rooms of all rounds stay until the end, since ext4 looks long for a free inode where thousands were just deleted. Beside it, by turns in the same process: the same requests one after the other with bare \`fetch\`, and the same files written
to a temporary name, flushed with \`fsync\` and renamed; in the second line written without that. Medians of 3 rounds after one that warms up.
Peak memory: \`maxRSS\` of \`taskroom sync\` as a process. Quiet: nothing changed upstream nor here since the last sync; the requests are those
the server saw, in rooms of each size. One change: somebody edits the text of one issue. Idle: \`utime + stime\` of \`taskroom up\` over 60 s without
a sync, plus what a quiet sync adds, once in 300 s.`,
  async run(options) {
    const tracker = await startTracker();
    try {
      const issues = options.quick ? 500 : 10_000;
      const comments = await tracker.fill(LARGE, issues);
      const first = await firstMirrors(tracker, { issues, comments }, options);
      const { peakMb } = await mirrorAlone(tracker);
      const sizes = options.quick ? [1, 10, 100] : [1, 10, 100, 1_000];
      const later = [
        await requestsFigure(tracker, first.room, { repo: LARGE, issues, sizes }),
        ...(await laterFigures(tracker, first.room, { repo: LARGE, issues })),
        ...(await idleFigure(first.room, issues, options)),
      ];
      removeRoom(first.room);
      const peak = limitFigure(
        `peak memory, first mirror, ${showCount(issues)} issues`,
        peakMb,
        null,
        showMb,
      );
      return [...first.figures, peak, ...later];
    } finally {
      tracker.stop();
    }
  },
};

function showMb(value: number): string {
  return `${value.toFixed(0)} MB`;
}

interface Size {
  issues: number;
  comments: number;
}

/** @returns the figures, and the room of the last round */
async function firstMirrors(
  tracker: Tracker,
  size: Size,
  options: BenchOptions,
): Promise<{ figures: Figure[]; room: BenchRoom }> {
  const rounds: Round[] = [];
  try {
    for (let round = 0; round <= (options.quick ? 1 : 3); round += 1)
      rounds.push(await firstMirror(tracker, size, options));
  } finally {
    for (const { folders } of rounds) for (const { remove } of folders) remove();
    for (const { room } of rounds.slice(0, -1)) removeRoom(room);
  }
  const { issues, comments } = size;
  const what = `first mirror, ${showCount(issues)} issues, ${showCount(comments)} comments`;
  const allowed = Math.ceil(issues / PAGE_SIZE) + Math.ceil(comments / PAGE_SIZE) + MORE_REQUESTS;
  const last = rounds.at(-1)!;
  // The first round warms all three up, and the tracker prepares its pages.
  const counted = rounds.slice(1);
  const ours = counted.map((round) => round.ours);
  const durable = { name: 'download + durable writes', times: counted.map((round) => round.durable) };
  const plain = { name: 'download + writes without fsync', times: counted.map((round) => round.plain) };
  return {
    room: last.room,
    figures: [
      ratioFigure(what, ours, durable, options.quick ? null : TIMES_LIMIT),
      ratioFigure(what, ours, plain, null),
      limitFigure(`requests, ${what}`, last.requests, allowed, showCount),
    ],
  };
}

/** Times in milliseconds, and what it left on disk. */
interface Round {
  ours: number;
  durable: number;
  plain: number;
  requests: number;
  room: BenchRoom;
  folders: { remove(): void }[];
}

async function firstMirror(tracker: Tracker, size: Size, { note }: BenchOptions): Promise<Round> {
  const room = createMirrorRoom({ url: tracker.url, repo: LARGE, schedule: 'every 5m' });
  await tracker.served();
  const ours = await mirrorOnce(room, size);
  const served = await tracker.served();
  const made = readMade(room, served);
  const folders = [makeFolder(), makeFolder()] as const;
  const durable = await bareOnce(tracker, made, (it) => writeDurably(folders[0].folder, it));
  const plain = await bareOnce(tracker, made, (it) => writePlainly(folders[1].folder, it));
  note(`sync: first mirror ${showMs(ours)}, bare ${showMs(durable)}, without fsync ${showMs(plain)}`);
  return { ours, durable, plain, requests: served.length, room, folders: [...folders] };
}

async function mirrorOnce(room: BenchRoom, { issues, comments }: Size): Promise<number> {
  const mirrors = await openMirrorRoom(room);
  try {
    return await timed(async () => {
      const { created, comments_in } = await mirrors.sync();
      if (created !== issues || comments_in !== comments)
        throw new Error(`${created} issues and ${comments_in} comments came in`);
    });
  } finally {
    await mirrors.close();
  }
}

/** The same requests one after the other, and the same files. */
async function bareOnce(tracker: Tracker, made: Made, write: (made: Made) => void): Promise<number> {
  return await timed(async () => {
    await download(tracker.url, made);
    write(made);
  });
}

async function mirrorAlone(tracker: Tracker): Promise<AloneCosts> {
  const room = createMirrorRoom({ url: tracker.url, repo: LARGE });
  try {
    return await syncAlone(room);
  } finally {
    removeRoom(room);
  }
}
