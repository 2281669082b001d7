// The web board in a real Chromium on ten thousand tasks: how soon its first tasks are on the screen, and whether it keeps
// every frame while a hundred events a second arrive.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser } from '../test/web/browser.ts';
import { type Api, findApi } from './api.ts';
import { startDaemon } from './daemon.ts';
import { type Bench, type BenchOptions, type Figure, limitFigure, median, showCount } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { msFigure, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const PAINT_LIMIT_MS = 1_000;
const BUNDLE_LIMIT_KB = 150;
const EVENTS_A_SECOND = 100;
const SECONDS = 5;
/** A second of 60 frames, less what a clock that is not the screen's may take off. */
const LEAST_FRAMES = 59;
const VIEWPORT = { width: 1440, height: 900 };
const WEB = join(import.meta.dirname, '..', 'dist', 'web', 'assets');

/** Each with what is there once its first tasks are. */
const VIEWS = [
  { name: 'board', shown: '.board-card' },
  { name: 'list', shown: '.list-row' },
] as const;

export const board: Bench = {
  name: 'board',
  how: `The web board in Chromium (headless, no GPU) of ${VIEWPORT.width} by ${VIEWPORT.height}, with a daemon on 10,000 tasks that rest. First paint: a context of its own for
each load, so that nothing is in any cache; the clock is the page's, from the start of the navigation to the frame in which its first
tasks stand. Frames: counted by \`requestAnimationFrame\` over ${SECONDS} s while ${EVENTS_A_SECOND} files a second get another status, which the daemon tells
as events; long tasks are those of more than 50 ms (Long Tasks API). The bundle is script and style by \`gzip -9\`.`,
  async run(options) {
    if (findChromium() === null) return [];
    const count = options.quick ? 500 : 10_000;
    const room = createRoom({ count, state: 'resting', settings: 'settle: 0\nhold_above: 0\n' });
    await sleep(1_200);
    await prepareLedger(room);
    const daemon = await startDaemon(room);
    const browser = await openBrowser();
    try {
      return await measure({ room, browser, api: await findApi(room) }, count, options);
    } finally {
      await browser.close();
      await daemon.stop();
      removeRoom(room);
    }
  },
};

interface Ground {
  room: BenchRoom;
  browser: Browser;
  api: Api;
}

async function measure(ground: Ground, count: number, options: BenchOptions): Promise<Figure[]> {
  const { quick } = options;
  const size = `${showCount(count)} tasks`;
  const figures: Figure[] = [];
  const session = await openSession(ground);
  for (const view of VIEWS) {
    const before = startNodes();
    const loads: Paint[] = [];
    for (let round = 0; round <= (quick ? 1 : 7); round += 1)
      loads.push(await timeLoad(ground, session, view));
    // The first one finds the daemon cold as well, and is a figure of its own.
    const [first, ...rest] = loads as [Paint, ...Paint[]];
    const nodeMs = [...before, ...startNodes()];
    figures.push(
      msFigure(
        `board: first paint of the ${view.name}’s tasks, ${size}`,
        median(rest.map(({ tasksMs }) => tasksMs)),
        quick ? null : { limitMs: PAINT_LIMIT_MS, nodeMs },
        `frame of the page ${Math.round(median(rest.map(({ firstMs }) => firstMs)))} ms; the very first load ${Math.round(first.tasksMs)} ms`,
      ),
    );
  }
  for (const view of VIEWS) {
    const { frames, restFrames, longMs, long } = await countFrames(
      ground,
      session,
      view,
      quick ? 1 : SECONDS,
    );
    figures.push({
      what: `board: frames a second of the ${view.name}, ${EVENTS_A_SECOND} events a second, ${size}`,
      ours: `${long} long tasks, ${Math.round(longMs)} ms in all`,
      peer: `at rest ${restFrames.toFixed(1)}`,
      value: frames.toFixed(1),
      bound: quick ? '' : `≥ ${LEAST_FRAMES}`,
      pass: quick ? null : frames >= LEAST_FRAMES,
    });
  }
  figures.push(
    limitFigure('board: bundle, compressed', bundleKb(), BUNDLE_LIMIT_KB, (kb) => `${kb.toFixed(1)} kB`),
  );
  return figures;
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** What a browser keeps of a visit by a one-time link: its session alone. */
async function openSession({ browser, api }: Ground): Promise<Session> {
  const response = await fetch(`${api.url}/api/links`, { method: 'POST', headers: api.headers });
  const { url } = (await response.json()) as { url: string };
  const context = await browser.newContext();
  await context.request.get(url);
  const session = await context.storageState();
  await context.close();
  return session;
}

async function openView(
  { browser, api }: Ground,
  storageState: Session,
  view: (typeof VIEWS)[number],
): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, storageState });
  const page = await context.newPage();
  await page.addInitScript(watch(view.shown));
  await page.goto(`${api.url}/#/${view.name}`);
  return page;
}

/** In the page: `shownMs` is when the first task was there in a frame; every frame and long task is counted. */
const watch = (shown: string) => `{
  const shown = ${JSON.stringify(shown)};
  let found;
  window.bench = { shownMs: null, frames: 0, long: 0, longMs: 0, whenShown: new Promise((resolve) => { found = resolve; }) };
  const look = () => {
    bench.frames += 1;
    if (bench.shownMs === null && document.querySelector(shown) !== null) found(bench.shownMs = performance.now());
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      bench.long += 1;
      bench.longMs += duration;
    }
  }).observe({ type: 'longtask', buffered: true });
}`;

interface Paint {
  firstMs: number;
  tasksMs: number;
}

async function timeLoad(ground: Ground, session: Session, view: (typeof VIEWS)[number]): Promise<Paint> {
  const page = await openView(ground, session, view);
  await page.evaluate('bench.whenShown');
  const told = (await page.evaluate(
    '({ tasksMs: bench.shownMs, firstMs: performance.getEntriesByName("first-contentful-paint")[0].startTime })',
  )) as Paint;
  await page.context().close();
  return told;
}

interface Frames {
  /** A second. */
  frames: number;
  /** The same page just before, while nothing happens: what the machine has to give. */
  restFrames: number;
  long: number;
  longMs: number;
}

async function countFrames(
  ground: Ground,
  session: Session,
  view: (typeof VIEWS)[number],
  seconds: number,
): Promise<Frames> {
  const page = await openView(ground, session, view);
  await page.evaluate('bench.whenShown');
  // What the page still does after its first tasks is of the load, not of the events.
  await sleep(1_500);
  const { frames: restFrames } = await framesOver(page, Math.min(2, seconds));
  const load = changeFiles(ground.room, seconds + 1);
  await sleep(500);
  const told = await framesOver(page, seconds);
  await load;
  await page.context().close();
  return { ...told, restFrames };
}

async function framesOver(page: Page, seconds: number): Promise<Omit<Frames, 'restFrames'>> {
  return page.evaluate(
    `new Promise((resolve) => {
      Object.assign(bench, { frames: 0, long: 0, longMs: 0 });
      const began = performance.now();
      const end = () => {
        const seconds = (performance.now() - began) / 1000;
        if (seconds < ${seconds}) return requestAnimationFrame(end);
        resolve({ frames: bench.frames / seconds, long: bench.long, longMs: bench.longMs });
      };
      requestAnimationFrame(end);
    })`,
  );
}

/** One file after the other, at an even pace; each gets the other one of two statuses. */
async function changeFiles({ tasksDir, names }: BenchRoom, seconds: number): Promise<void> {
  const began = performance.now();
  for (let step = 0; step < seconds * EVENTS_A_SECOND; step += 1) {
    const path = join(tasksDir, names[(step * 7) % names.length]!);
    const text = readFileSync(path, 'utf8');
    const status = /^status: draft$/m.test(text) ? 'canceled' : 'draft';
    writeFileSync(path, text.replace(/^status: .*$/m, `status: ${status}`));
    const ahead = ((step + 1) * 1000) / EVENTS_A_SECOND - (performance.now() - began);
    if (ahead > 0) await sleep(ahead);
  }
}

function bundleKb(): number {
  const files = readdirSync(WEB).map((name) => readFileSync(join(WEB, name)));
  return files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0) / 1000;
}
