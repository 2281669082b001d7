// What reporting costs an agent: calls of twenty turns at once through a real daemon, what a daemon finds in the spools
// when it starts, and a turn's whole program against a Node that does nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTurnRoom } from '../src/cli/turn/turn-room.ts';
import { createNodeEffects } from '../src/node.ts';
import { requestName } from '../src/remote/protocol.ts';
import { type Daemon, PROGRAM, startDaemon } from './daemon.ts';
import { type Bench, byTurns, type Figure, median, percentile, showCount, showMs } from './figures.ts';
import { type MsLimit, msFigure, pacedBound, startNodes } from './pace.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const AGENTS = 20;
const CALLS_A_SECOND = 200;
/** An agent looks more often than it writes. */
const CALLS_A_WRITE = 4;
const SPOOLED = 1_000;
const TURN_PROGRAM = join(PROGRAM, '../turn-path/taskroom');
const LIMITS = { median: 60, p99: 150, spooled: 5_000, program: 90 };

export const bridge: Bench = {
  name: 'bridge',
  how: `A real daemon with ${AGENTS} turns whose agents sleep; ${AGENTS} clients of the kind a turn's program has, in the bench's process,
each with its own turn. Each calls every ${(1000 * AGENTS) / CALLS_A_SECOND} ms, together ${CALLS_A_SECOND} calls a second, one in ${CALLS_A_WRITE} a \`progress\` (durable: a task
file replaced), the others \`show\`; from the call to its answer. A call
that comes late because the one before took too long counts from when it was due. Spooled: the daemon is killed, ${showCount(SPOOLED)} \`progress\`
requests lie in the spools (${SPOOLED / AGENTS} a turn), and the time runs from the spawn of the next daemon to the last answer; every entry must stand
in its file once and in order. The program: \`taskroom progress\` as a whole process, by turns with \`node -e 0\` of the same Node.`,
  async run({ quick, note }) {
    const room = createRoom({
      count: AGENTS,
      state: 'todo',
      command: ['sleep', '3600'],
      settings: `settle: 0\nlimits:\n  total: ${AGENTS}\n  task: ${AGENTS}\n`,
    });
    let daemon = await startDaemon(room);
    try {
      const bridges = await bridgesOf(room);
      const seconds = quick ? 1 : 10;
      note('spooled');
      await kill(daemon);
      const perTurn = (quick ? 100 : SPOOLED) / AGENTS;
      putRequests(bridges, perTurn);
      const startedAt = performance.now();
      daemon = await startDaemon(room);
      await until(() => bridges.every((dir) => answersIn(dir) === perTurn));
      const tookMs = performance.now() - startedAt;
      const nodeMs = startNodes();
      assertOnceInOrder(room, perTurn);
      note('calls');
      const calls = await callAll(bridges, seconds);
      note('the program');
      const program = await programFigure(bridges[0]!, quick);
      nodeMs.push(...startNodes());
      const bound = (limitMs: number) => (quick ? null : { limitMs, nodeMs });
      return [
        ...callFigures(calls, bound),
        msFigure(
          `${showCount(perTurn * AGENTS)} requests spooled while no daemon ran`,
          tookMs,
          bound(LIMITS.spooled),
          `${(tookMs / perTurn / AGENTS).toFixed(2)} ms each`,
        ),
        program,
      ];
    } finally {
      spawnSync(process.execPath, [PROGRAM, 'stop', '--now', '--room', room.dir]);
      removeRoom(room);
    }
  },
};

async function bridgesOf({ dir }: BenchRoom): Promise<string[]> {
  const turns = join(dir, '.taskroom', 'turns');
  const all = (): string[] => readdirSync(turns).map((turn) => join(turns, turn, 'bridge'));
  // Its pid is written by the agent's wrapper: the turn has begun.
  await until(() => all().filter((each) => existsSync(join(each, '..', 'pid'))).length === AGENTS);
  return all();
}

interface Calls {
  times: number[];
  perSecond: number;
}

async function callAll(bridges: readonly string[], seconds: number): Promise<Calls> {
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(bridges.map((dir, at) => callEvery(dir, at, seconds, times)));
  return { times, perSecond: times.length / ((performance.now() - startedAt) / 1000) };
}

async function callEvery(dir: string, at: number, seconds: number, times: number[]): Promise<void> {
  const runtime = openTurnRoom(dir, createNodeEffects());
  const task = JSON.parse(readFileSync(join(dir, '..', 'context.json'), 'utf8')).task.thread_id.slice(
    'task:local:'.length,
  );
  const everyMs = (1000 * AGENTS) / CALLS_A_SECOND;
  // Not all at the same moment.
  let dueAt = performance.now() + (everyMs * at) / AGENTS;
  for (let call = 0; call < (seconds * CALLS_A_SECOND) / AGENTS; call += 1, dueAt += everyMs) {
    await sleep(Math.max(0, dueAt - performance.now()));
    if (call % CALLS_A_WRITE === 0)
      await runtime.tasks.call('progress', { ref: task, text: `Call ${call}.` }, runtime.caller);
    else await runtime.tasks.call('show', { ref: task }, { kind: 'person' });
    times.push(performance.now() - dueAt);
  }
  await runtime.close();
}

function callFigures({ times, perSecond }: Calls, limitOf: (limitMs: number) => MsLimit | null): Figure[] {
  // The last calls end a moment after the last second.
  const keptUp = perSecond >= CALLS_A_SECOND * 0.97;
  const figureOf = (name: string, value: number, limit: MsLimit | null): Figure => {
    const figure = msFigure(`${AGENTS} agents report, ${name}`, value, limit, '');
    return {
      ...figure,
      peer: `${showCount(perSecond)} calls/s`,
      bound: limit === null ? '' : `${figure.bound} at ${CALLS_A_SECOND} calls/s`,
      pass: limit === null ? null : keptUp && figure.pass === true,
    };
  };
  return [
    figureOf('p50', median(times), limitOf(LIMITS.median)),
    figureOf('p99', percentile(times, 0.99), limitOf(LIMITS.p99)),
  ];
}

async function programFigure(dir: string, quick: boolean): Promise<Figure> {
  const env = { ...process.env, TASKROOM_BRIDGE: dir, TASKROOM_NODE: process.execPath };
  const time = (file: string, args: string[]): number => {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(file, args, { encoding: 'utf8', env });
    if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
    return performance.now() - startedAt;
  };
  let round = 0;
  const { first, second } = await byTurns(
    quick ? 1 : 25,
    () => {
      round += 1;
      return time(TURN_PROGRAM, ['progress', `Round ${round}.`]);
    },
    () => time(process.execPath, ['-e', '0']),
  );
  const value = median(first) - median(second);
  const bound = pacedBound(LIMITS.program, second);
  return {
    what: 'an agent calls taskroom progress',
    ours: showMs(median(first)),
    peer: `node -e 0: ${showMs(median(second))}`,
    value: `+ ${showMs(value)}`,
    bound: `≤ ${LIMITS.program} ms more${bound.shown}`,
    pass: quick ? null : value <= bound.limitMs,
  };
}

async function kill({ pid }: Daemon): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => !existsSync(`/proc/${pid}`));
}

function putRequests(bridges: readonly string[], perTurn: number): void {
  for (const dir of bridges) {
    const token = readFileSync(join(dir, 'token'), 'utf8').trim();
    for (const name of readdirSync(join(dir, 'answers'))) rmSync(join(dir, 'answers', name));
    const { thread_id: thread } = JSON.parse(readFileSync(join(dir, '..', 'context.json'), 'utf8')).task;
    for (let at = 0; at < perTurn; at += 1) {
      const key = `spooled${String(at).padStart(6, '0')}`;
      const input = { ref: thread.slice('task:local:'.length), text: `Spooled ${at}.` };
      writeFileSync(
        join(dir, 'requests', requestName(at, key)),
        JSON.stringify({ key, token, op: 'progress', input }),
      );
    }
  }
}

function answersIn(dir: string): number {
  return readdirSync(join(dir, 'answers')).filter((name) => name.startsWith('spooled')).length;
}

function assertOnceInOrder({ tasksDir, names }: BenchRoom, perTurn: number): void {
  const wanted = Array.from({ length: perTurn }, (_, at) => `Spooled ${at}.`).join();
  for (const name of names) {
    const found = readFileSync(join(tasksDir, name), 'utf8').match(/Spooled \d+\./g) ?? [];
    if (found.join() !== wanted)
      throw new Error(`${name} holds ${found.length} of ${perTurn}, or in another order`);
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}
