// How much of the program runs between the save of one task file and the start of its agent's process, and how often the file is read.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Daemon, nextEvent, startDaemon } from './daemon.ts';
import { type Bench, type Figure, limitFigure, showCount } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

/** What the probe in the daemon counted. */
export interface Counted {
  /** Functions of the built program that ran. `at` is an offset in the file that `url` names. */
  functions: { url: string; name: string; at: number }[];
  /** Files that were opened, each as often as it was. */
  opened: string[];
}

const MOST_FILES = 90;
const MOST_FUNCTIONS = 350;
const MOST_READS = 2;
const WARM_EDITS = 5;
const LIMIT_MS = 30_000;

export const coverage: Bench = {
  name: 'coverage',
  how: `A daemon with default settings on 200 tasks, none of them due; ${WARM_EDITS} of them are edited and have their turns first. Then a line is added to
the Notes of one that is \`todo\`. V8's precise coverage, begun just before the save and read as the agent's process is started, is mapped back to
\`src\` by the source maps. This is done with five tasks: what ran for each of them counts, so that timers that go off meanwhile do not.
Reads are counted where Node opens the file.`,
  async run({ quick, note }) {
    const room = createRoom({ count: 200, state: 'todo', command: ['true'] });
    await sleep(1_200);
    await prepareLedger(room);
    const probe = join(room.dir, '.taskroom', 'probe');
    const program = pathToFileURL(join(import.meta.dirname, 'coverage-probe.ts'));
    const daemon = await startDaemon(room, { NODE_OPTIONS: `--import=${program}`, TASKROOM_PROBE: probe });
    try {
      for (const name of room.names.slice(0, WARM_EDITS)) await editAndWait(room, daemon, name);
      const counts: Counted[] = [];
      for (const name of room.names.slice(-5)) counts.push(await countOne(room, daemon, name, probe));
      const ran = sharedFunctions(counts);
      const reads = counts.map(({ opened }, at) => countReads(room, opened, room.names.at(at - 5)!));
      for (const line of listByFile(ran)) note(line);
      return toFigures(ran, reads, quick);
    } finally {
      await daemon.stop();
      removeRoom(room);
    }
  },
};

async function editAndWait(room: BenchRoom, daemon: Daemon, name: string): Promise<void> {
  const ended = nextEvent(daemon, ({ type }) => type === 'turn.ended', LIMIT_MS);
  const path = join(room.tasksDir, name);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('\n## Progress\n', 'One more note.\n\n## Progress\n'));
  await ended;
}

async function countOne(room: BenchRoom, daemon: Daemon, name: string, probe: string): Promise<Counted> {
  rmSync(`${probe}.ready`, { force: true });
  process.kill(daemon.pid, 'SIGUSR2');
  while (!existsSync(`${probe}.ready`)) await sleep(10);
  await editAndWait(room, daemon, name);
  const counted = JSON.parse(readFileSync(probe, 'utf8')) as Counted;
  rmSync(probe);
  return counted;
}

function countReads({ tasksDir }: BenchRoom, opened: readonly string[], name: string): number {
  return opened.filter((path) => path === join(tasksDir, name)).length;
}

/** Functions of `src` that ran each time: their file, line and name. */
function sharedFunctions(counts: readonly Counted[]): Map<string, { file: string; name: string }> {
  const where = createMapper();
  const maps = counts.map(({ functions }) => {
    return new Map(
      functions.map((one) => [`${one.url}:${one.at}`, { ...one, file: where(one.url, one.at) }]),
    );
  });
  const shared = [...maps[0]!].filter(
    ([key, { file }]) => file !== null && maps.every((map) => map.has(key)),
  );
  return new Map(shared.map(([key, { file, name }]) => [key, { file: file!, name }]));
}

/** From a place in the built program to its source file below `src`; null for anything else. */
function createMapper(): (url: string, at: number) => string | null {
  const known = new Map<string, { text: string; map: SourceMap }>();
  return (url, at) => {
    const path = fileURLToPath(url);
    // What all chunks share of the bundler has no map.
    if (!existsSync(`${path}.map`)) return null;
    if (!known.has(path)) {
      const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
      known.set(path, { text: readFileSync(path, 'utf8'), map });
    }
    const { text, map } = known.get(path)!;
    const before = text.slice(0, at).split('\n');
    const entry = map.findEntry(before.length - 1, before.at(-1)!.length);
    // The bundler's own functions, one for each export, have no place in the map.
    if (!('originalSource' in entry) || entry.generatedLine !== before.length - 1) return null;
    return /^(?:\.\.\/)+src\/(.*)$/.exec(entry.originalSource)?.[1] ?? null;
  };
}

function listByFile(ran: ReadonlyMap<string, { file: string; name: string }>): string[] {
  const byFile = Map.groupBy(ran.values(), ({ file }) => file);
  return [...byFile].sort().map(([file, all]) => `${file}: ${all.map(({ name }) => name || '–').join(' ')}`);
}

function toFigures(
  ran: ReadonlyMap<string, { file: string; name: string }>,
  reads: readonly number[],
  quick: boolean,
): Figure[] {
  const files = new Set([...ran.values()].map(({ file }) => file)).size;
  const named = [...ran.values()].filter(({ name }) => name !== '').length;
  const what = "save to turn's process";
  const bound = (most: number) => (quick ? null : most);
  return [
    limitFigure(`${what}, source files that run`, files, bound(MOST_FILES), showCount),
    limitFigure(`${what}, named functions that run`, named, bound(MOST_FUNCTIONS), showCount),
    limitFigure(`${what}, reads of the task's file`, Math.max(...reads), bound(MOST_READS), showCount),
  ];
}
