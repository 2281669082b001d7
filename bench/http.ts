// The API under load: a board that polls ten thousand tasks, programs that look at one task after the other, and a hundred
// readers of events.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, findApi } from './api.ts';
import { HAS_PROC, startDaemon } from './daemon.ts';
import {
  type Bench,
  type BenchOptions,
  type Figure,
  median,
  percentile,
  showCount,
  showMs,
} from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { msFigure, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const LIST_LIMIT_MS = 120;
const UNCHANGED_LIMIT_MS = 3;
const SHOWS_A_SECOND = 1_000;
const EVENT_LIMIT_MS = 60;
const MEMORY_LIMIT_MB = 100;
const AT_ONCE = 8;
const RUNS = 3;

export const http: Bench = {
  name: 'http',
  how: `A daemon on 10,000 tasks that rest, asked over TCP by this process. Times of lists are the server's own (\`Server-Timing\`): from the
request's head to the start of its answer; a task is changed before each list that is not a 304. One task after the other is looked
at by ${AT_ONCE} connections at once. Events: 100 readers, \`settle: 0\`, a file saved in place; the clock stops when the last reader has the event.
Memory: \`VmHWM\` of the daemon after all of that, minus \`VmHWM\` of one with \`--no-http\` before it, in whose room as many files were saved; the median
of ${RUNS} such pairs, since V8 compiles and collects beside the work, as the moment has it. All other figures are those of the first.`,
  async run(options) {
    const count = options.quick ? 500 : 10_000;
    const room = createRoom({ count, state: 'resting', settings: 'settle: 0\nhold_above: 0\n' });
    await sleep(1_200);
    await prepareLedger(room);
    const rounds = options.quick ? 3 : 30;
    const peaks: Peaks[] = [];
    const all: Figure[][] = [];
    try {
      for (let run = 0; run < (options.quick ? 1 : RUNS); run += 1) {
        const withoutMb = await peakWithout(room, rounds);
        const daemon = await startDaemon(room);
        try {
          all.push(await measure(room, { count, rounds }, options));
          peaks.push({ withMb: HAS_PROC ? daemon.peakMb() : Number.NaN, withoutMb });
        } finally {
          await daemon.stop();
        }
      }
    } finally {
      removeRoom(room);
    }
    return HAS_PROC ? [...all[0]!, memoryFigure(peaks, options)] : all[0]!;
  },
};

/** Most memory of a daemon with the API, and of one without, MB. */
interface Peaks {
  withMb: number;
  withoutMb: number;
}

async function measure(
  room: BenchRoom,
  { count, rounds }: { count: number; rounds: number },
  options: BenchOptions,
): Promise<Figure[]> {
  const api = await findApi(room);
  const before = startNodes();
  const lists = await timeLists(api, rounds);
  const shows = await timeShows(api, options.quick ? 200 : 5_000);
  const events = await timeEvents(room, api, rounds);
  const nodeMs = [...before, ...startNodes()];
  const bound = (limitMs: number) => (options.quick ? null : { limitMs, nodeMs });
  const size = `${showCount(count)} tasks`;
  return [
    msFigure(
      `GET /api/tasks after a change, ${size}`,
      median(lists.changed),
      bound(LIST_LIMIT_MS),
      `max ${showMs(Math.max(...lists.changed))}`,
    ),
    msFigure(`GET /api/tasks unchanged (304), ${size}`, median(lists.unchanged), bound(UNCHANGED_LIMIT_MS)),
    {
      what: `GET /api/tasks/:id, ${AT_ONCE} at once`,
      ours: '',
      peer: '',
      value: `${showCount(shows)} a second`,
      bound: options.quick ? '' : `≥ ${showCount(SHOWS_A_SECOND)}`,
      pass: options.quick ? null : shows >= SHOWS_A_SECOND,
    },
    msFigure(
      'save to the last of 100 readers of events, p50',
      percentile(events, 0.5),
      bound(EVENT_LIMIT_MS),
      `p99 ${showMs(percentile(events, 0.99))}`,
    ),
  ];
}

function memoryFigure(peaks: readonly Peaks[], { quick }: BenchOptions): Figure {
  const show = (...mb: number[]) => `${mb.map((each) => each.toFixed(0)).join(', ')} MB`;
  const more = median(peaks.map(({ withMb, withoutMb }) => withMb - withoutMb));
  return {
    what: 'most memory after all of that, more than without the API',
    ours: show(...peaks.map(({ withMb }) => withMb)),
    peer: `--no-http: ${show(...peaks.map(({ withoutMb }) => withoutMb))}`,
    value: show(more),
    bound: quick ? '' : `≤ ${MEMORY_LIMIT_MB} MB`,
    pass: quick ? null : more <= MEMORY_LIMIT_MB,
  };
}

/** Most memory of a daemon without the API while as many files change as will beside it. */
async function peakWithout(room: BenchRoom, rounds: number): Promise<number> {
  const daemon = await startDaemon(room, {}, ['--no-http']);
  try {
    for (let round = 0; round < rounds; round += 1) {
      appendFileSync(join(room.tasksDir, room.names[round]!), `\nRound ${round}.\n`);
      await sleep(100);
      saveHeard(room, round);
      await sleep(100);
    }
    return HAS_PROC ? daemon.peakMb() : Number.NaN;
  } finally {
    await daemon.stop();
  }
}

function saveHeard({ tasksDir }: BenchRoom, round: number): void {
  const status = round % 2 === 0 ? 'draft' : 'canceled';
  const text = `---\nid: heard123\nstatus: ${status}\n---\nRound ${round}.\n`;
  writeFileSync(join(tasksDir, 'Heard.md'), text);
}

async function timeLists({ url, headers }: Api, rounds: number) {
  const changed: number[] = [];
  const unchanged: number[] = [];
  const list = async (more: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/tasks`, { headers: { ...headers, ...more } });
    const text = await response.text();
    return {
      response,
      text,
      ms: Number(/dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1]),
    };
  };
  const { tasks } = JSON.parse((await list()).text) as { tasks: { id: string }[] };
  for (let round = 0; round < rounds; round += 1) {
    await send(`${url}/api/tasks/${tasks[round]!.id}/comment`, headers, { text: `Round ${round}.` });
    const { response, ms } = await list();
    changed.push(ms);
    // What the comment set in motion is over.
    await sleep(100);
    const settled = await list();
    const again = await list({ 'if-none-match': settled.response.headers.get('etag') ?? '' });
    if (response.status !== 200 || again.response.status !== 304)
      throw new Error('not the answers that were expected');
    unchanged.push(again.ms);
  }
  return { changed, unchanged };
}

async function send(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const json = { ...headers, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** How many a second. */
async function timeShows({ url, headers }: Api, count: number): Promise<number> {
  const { tasks } = (await (await fetch(`${url}/api/tasks?limit=200`, { headers })).json()) as {
    tasks: { id: string }[];
  };
  let asked = 0;
  const work = async () => {
    while (asked < count) {
      asked += 1;
      const response = await fetch(`${url}/api/tasks/${tasks[asked % tasks.length]!.id}`, { headers });
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      await response.arrayBuffer();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return count / ((performance.now() - startedAt) / 1000);
}

const READERS = 100;

async function timeEvents(room: BenchRoom, { url, headers }: Api, rounds: number): Promise<number[]> {
  const abort = new AbortController();
  let left = 0;
  let heard = () => {};
  const follow = async () => {
    const response = await fetch(`${url}/api/events?types=task.*`, { headers, signal: abort.signal });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        if (text.slice(0, end).includes('"name":"Heard"')) {
          left -= 1;
          if (left === 0) heard();
        }
        text = text.slice(end + 2);
      }
    }
  };
  const readers = Array.from({ length: READERS }, () => follow().catch(() => {}));
  const times: number[] = [];
  // The first one waits until all of them read.
  await sleep(1_000);
  for (let round = -1; round < rounds; round += 1) {
    left = READERS;
    const all = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const startedAt = performance.now();
    saveHeard(room, round);
    await all;
    if (round >= 0) times.push(performance.now() - startedAt);
    await sleep(50);
  }
  abort.abort();
  await Promise.all(readers);
  return times;
}
