// The scheduler, the queue and the ledger alone: turns that do nothing, every request, start and end on disk.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TaskId, threadOfTask } from '../src/core/ids.ts';
import { createScheduler } from '../src/pulse/schedule/scheduler.ts';
import type { Turns } from '../src/pulse/turn/turns.ts';
import type { TurnRequest } from '../src/store/ledger/turns/requests.ts';
import type { TaskRoom } from '../src/tasks/task-room.ts';
import { queueOf } from '../test/support/ledger-queue.ts';
import { createTestLoop } from '../test/support/test-loop.ts';
import { type Bench, byTurns, median, showCount, timed } from './figures.ts';
import { forgetLedger, openBenchRoom } from './open-room.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

const LEAST = 2_000;
// Edits that settle together are asked for in one commit; this many is what `hold_above` lets through by default.
const ASKED_TOGETHER = 50;
const END = { state: 'completed', reason: 'ok', exitCode: 0, signal: null, message: '' } as const;

export const turns: Bench = {
  name: 'turns',
  how: `Turns are asked for, and the real scheduler hands the requests to turns that record the start and the end as the driver
does and do nothing else; limits are the defaults, two turns at a time. What is recorded in the same turn of the event
loop shares a commit. The ledger is a file with synchronous FULL. Counted from the first request to the last recorded end. Requests
come ${ASKED_TOGETHER} to a commit, as from edits that settle together; the second line asks for each in a commit of its own.
Beside it the same number of bare one-row commits (three a turn) into an SQLite file with the same settings.`,
  async run({ quick }) {
    const count = quick ? 500 : 5_000;
    const room = createRoom({ count: 0, state: 'todo' });
    const measured: [what: string, times: number[], bare: number[]][] = [];
    for (const together of [ASKED_TOGETHER, 1]) {
      const { first, second } = await byTurns(
        quick ? 1 : 5,
        () => runTurns(room, count, together),
        () => bareCommits(room, count),
      );
      const how = together === 1 ? 'each asked for alone' : `asked for by ${together}`;
      measured.push([`scheduler and ledger, ${showCount(count)} turns, ${how}`, first, second]);
    }
    removeRoom(room);
    return measured.map(([what, times, bareTimes], at) => {
      const [rate, bare] = [times, bareTimes].map((each) => count / (median(each) / 1000));
      const bounded = at === 0;
      return {
        what,
        ours: `${(median(times) / count).toFixed(3)} ms a turn`,
        peer: `3 bare commits a turn: ${showCount(bare!)} turns/s`,
        value: `${showCount(rate!)} turns/s`,
        bound: bounded ? `≥ ${showCount(LEAST)} turns/s` : '',
        pass: quick || !bounded ? null : rate! >= LEAST,
      };
    });
  },
};

async function runTurns(room: BenchRoom, count: number, together: number): Promise<number> {
  forgetLedger(room);
  const { deps, close } = openBenchRoom(room);
  const ms = await timed(() => schedule(deps, count, together));
  const n = deps.ledger.turns.count({ state: 'completed' });
  await close();
  if (n !== count) throw new Error(`${n} of ${count} turns are on record`);
  return ms;
}

async function schedule(deps: TaskRoom, count: number, together: number): Promise<void> {
  const { ledger, effects } = deps;
  const queue = queueOf(ledger);
  const over = Promise.withResolvers<void>();
  let ended = 0;
  const turns: Pick<Turns, 'run' | 'adopt'> = {
    async run(request) {
      const { id: turn, thread, origin, agent, reasons, outside, askedAt } = request;
      const facts = {
        runner: 'command',
        attempt: 1,
        revision: 'revision',
        description: 'a turn of the bench',
      };
      const startedAt = effects.now();
      const start = { id: turn, thread, origin, agent, reasons, outside, askedAt, ...facts, startedAt };
      await ledger.together(() => queue.begin(start));
      await ledger.together(() => queue.end(turn, { ...END, endedAt: effects.now() }, () => {}));
      ended += 1;
      if (ended === count) over.resolve();
      return { ran: true };
    },
    adopt: () => Promise.reject(new Error('no turn is left from before')),
  };
  const loop = createTestLoop({ deps });
  Object.assign(loop.agents, { patience: () => ({ timeoutMs: 3_600_000, stallMs: null }) });
  const scheduler = createScheduler(loop, { turns, spends() {}, turnOver() {} });
  for (let from = 0; from < count; from += together) {
    ledger.transaction(() => {
      for (let at = from; at < from + together; at += 1) queue.ask(requestOf(at, effects.now()));
    });
  }
  scheduler.startTurns();
  await over.promise;
  await scheduler.settled();
}

function requestOf(at: number, askedAt: number): TurnRequest {
  return {
    thread: threadOfTask(`bench${at}` as TaskId),
    origin: 'task',
    agent: `agent${at % 3}`,
    reasons: ['edited'],
    priority: at % 3,
    askedAt,
    forced: false,
    outside: true,
  };
}

async function bareCommits(room: BenchRoom, count: number): Promise<number> {
  forgetLedger(room);
  const own = join(room.dir, '.taskroom');
  mkdirSync(own);
  const database = new DatabaseSync(join(own, 'bare.db'));
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)',
  );
  const insert = database.prepare('INSERT INTO t(b) VALUES(?)');
  const ms = await timed(() => {
    for (let at = 0; at < count * 3; at += 1) insert.run('a turn of the bench');
  });
  database.close();
  return ms;
}
