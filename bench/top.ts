// The live terminal: what it costs on ten thousand tasks while a hundred files change a second, and how soon a saved file shows.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsOf, HAS_PROC, PROGRAM, startDaemon } from './daemon.ts';
import { type Bench, type BenchOptions, type Figure, limitFigure, percentile } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { msFigure, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const CORE_LIMIT_PERCENT = 25;
const FRESH_LIMIT_MS = 100;
const EVENTS_A_SECOND = 100;

export const top: Bench = {
  name: 'top',
  how: `\`taskroom top\` in a pseudo-terminal of 100 by 40 (\`script\`) on 10,000 tasks, beside a daemon and without one. Load: ${EVENTS_A_SECOND} files a second get
another status and another text, each by a rename, which the daemon tells as events; the figure is \`utime + stime\` of the process over 10 s of
that, after 5 s of it: a screen stays open for hours. Save to screen: a file saved in place gets another \`active_form\` or name of its agent on the screen's first rows; the clock stops
when the terminal is given the words. One save every 400 ms, so that each is the first of its kind.`,
  async run(options) {
    if (!HAS_PROC || !existsSync('/usr/bin/script')) return [];
    const count = options.quick ? 500 : 10_000;
    const room = createRoom({ count, state: 'resting', settings: 'settle: 0\nhold_above: 0\n' });
    await sleep(1_200);
    await prepareLedger(room);
    try {
      const alone = await measure(room, 'without a daemon', options);
      const daemon = await startDaemon(room);
      try {
        return [...(await measure(room, 'beside a daemon', options)), ...alone];
      } finally {
        await daemon.stop();
      }
    } finally {
      removeRoom(room);
    }
  },
};

async function measure(room: BenchRoom, where: string, options: BenchOptions): Promise<Figure[]> {
  const before = startNodes();
  const screen = await openTop(room);
  try {
    await screen.shows(where === 'without a daemon' ? 'files' : 'live', () => {});
    const restPercent = await costOver(screen.pid, options.quick ? 1_000 : 10_000, async () => {});
    const seconds = options.quick ? 2 : 10;
    await changeFiles(room, seconds / 2);
    const percent = await costOver(screen.pid, seconds * 1_000, () => changeFiles(room, seconds));
    // What is left of the load is behind.
    await sleep(1_000);
    const times: number[] = [];
    for (let round = 0; round < (options.quick ? 3 : 30); round += 1) {
      const word = `Sign${round}`;
      const began = performance.now();
      await screen.shows(word, () => saveFirst(room, word));
      times.push(performance.now() - began);
      await sleep(400);
    }
    const size = `${(options.quick ? 500 : 10_000).toLocaleString('en-US')} tasks`;
    const nodeMs = [...before, ...startNodes()];
    const limit = options.quick ? null : CORE_LIMIT_PERCENT;
    const show = (value: number) => `${value.toFixed(1)} %`;
    return [
      limitFigure(
        `top ${where}, ${EVENTS_A_SECOND} changes a second, of a core, ${size}`,
        percent,
        limit,
        show,
      ),
      limitFigure(`top ${where}, at rest, of a core, ${size}`, restPercent, null, show),
      msFigure(
        `save to screen, top ${where}, p50`,
        percentile(times, 0.5),
        options.quick ? null : { limitMs: FRESH_LIMIT_MS, nodeMs },
        `p99 ${percentile(times, 0.99).toFixed(0)} ms`,
      ),
    ];
  } finally {
    await screen.close();
  }
}

/** Percent of a core that the process takes while `load` runs, at least for so long. */
async function costOver(pid: number, ms: number, load: () => Promise<void>): Promise<number> {
  const began = performance.now();
  const before = cpuMsOf(pid);
  await load();
  await sleep(Math.max(0, ms - (performance.now() - began)));
  return ((cpuMsOf(pid) - before) / (performance.now() - began)) * 100;
}

/** Every tenth of a second ten files: two states of each, by turns. */
async function changeFiles({ tasksDir, names }: BenchRoom, seconds: number): Promise<void> {
  const began = performance.now();
  for (let step = 0; step < seconds * EVENTS_A_SECOND; step += 1) {
    const path = join(tasksDir, names[1 + ((step * 7) % (names.length - 1))]!);
    const text = readFileSync(path, 'utf8');
    const status = /^status: draft$/m.test(text) ? 'canceled' : 'draft';
    writeFileSync(path, text.replace(/^status: .*$/m, `status: ${status}`));
    const at = ((step + 1) * 1000) / EVENTS_A_SECOND;
    const ahead = at - (performance.now() - began);
    if (ahead > 0) await sleep(ahead);
  }
}

/** `sort:` puts it before all others. */
function saveFirst({ tasksDir }: BenchRoom, word: string): void {
  writeFileSync(
    join(tasksDir, 'First of all.md'),
    `---\nid: first123\nstatus: todo\npaused: true\nsort: -1\nlabels: [${word}]\n---\nWait.\n`,
  );
}

interface TopScreen {
  pid: number;
  /** Resolves when the terminal is given that text after `act`. */
  shows(text: string, act: () => void): Promise<void>;
  close(): Promise<void>;
}

async function openTop({ dir }: BenchRoom): Promise<TopScreen> {
  const pidFile = join(dir, 'top.pid');
  const program = `stty rows 40 cols 100; echo $$ > '${pidFile}'; exec '${process.execPath}' '${PROGRAM}' top --room '${dir}'`;
  const child: ChildProcess = spawn('script', ['-qfec', program, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  let text = '';
  let wanted: { text: string; found: () => void } | null = null;
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-200_000);
    if (wanted !== null && text.includes(wanted.text)) wanted.found();
  });
  const shows = (wantedText: string, act: () => void) =>
    new Promise<void>((resolve) => {
      wanted = { text: wantedText, found: resolve };
      act();
      if (text.includes(wantedText)) resolve();
    });
  await shows('Tasks ', () => {});
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid,
    shows,
    async close() {
      child.stdin!.write('q');
      await ended;
    },
  };
}
