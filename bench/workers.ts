// Turns on other machines, all of them this one: PostgreSQL, the room's daemon and workers as processes of their own.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPgBossQueue } from '../src/app/workers/queue/pg-boss-queue.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import type { Daemon } from './daemon.ts';
import { type Bench, type Figure, limitFigure, percentile, showCount, showMs } from './figures.ts';
import type { BenchRoom } from './room-files.ts';
import { type Crew, openSite, postgresCpuMs, startProcess } from './worker-site.ts';

/** Four times what the whole turns below ask of it. */
const LEAST_JOBS = 400;
const LEAST_TURNS = 100;
const MOST_START_MS = 120;
const MOST_IDLE = 0.02;
const MOST_CONNECTIONS = 10;
const PROCESSES = 4;
/** Turns that end before the time is taken: connections, compiled code. */
const WARM_UP = 200;
const LIMIT_MS = 300_000;

export const workers: Bench = {
  name: 'workers',
  how: `PostgreSQL 18 with its defaults (commits are durable), the daemon, and what works for it, all on this machine. Queue alone: four processes
fetch and complete jobs, 32 at once each, of 500 threads; the bench sends a thread's next when the one before is complete. Turns: \`taskroom up\` on a room
whose tasks are all open, \`limits\` of 64; four processes with a real worker of 16 slots each, whose runner ends at once and starts no program: from the ${WARM_UP}th recorded end to
the last. Everything a turn does beside its agent is in it: the task's file set to \`doing\`, prompt and context, the job, claim, reports, and the end. Dispatch to
start: one task after the other is saved in a room at rest; from the start on record, before the prompt is made, to the runner's first step at the worker.
Idle: 100 real workers of 4 slots in 10 processes with nothing to do; \`utime + stime\` of the daemon over 60 s, the most connections to PostgreSQL
of 120 looks. Waiting: every task of a room open, four turns that never end; rows of jobs that are not over.`,
  async run({ quick, note }) {
    const postgres = await startPostgres();
    try {
      const figures = [await queueAlone(postgres, quick ? 2_000 : 20_000, quick)];
      figures.push(await heartbeats(postgres, quick ? 100 : 2_000));
      note(figures[0]!.value);
      figures.push(...(await wholeTurns(postgres, quick ? 400 : 3_000, quick, note)));
      figures.push(...(await atRest(postgres, quick)));
      figures.push(await waitingTasks(postgres, quick ? 1_000 : 100_000));
      return figures;
    } finally {
      await postgres.close();
    }
  },
};

async function queueAlone(postgres: Postgres, count: number, quick: boolean): Promise<Figure> {
  const threads = quick ? 100 : 500;
  const room = `bench${randomUUID().slice(0, 8)}`;
  const host = createPgBossQueue({ url: postgres.url, room, role: 'host', onTrouble: () => {} });
  await host.prepare(['bench']);
  const crew = Array.from({ length: PROCESSES }, () =>
    startProcess({ kind: 'queue', postgres: postgres.url, room, slots: 32 }),
  );
  await Promise.all(crew.map(({ ready }) => ready));
  const left = new Map<string, number>();
  const out = new Set<string>();
  const over = Promise.withResolvers<void>();
  let done = 0;
  const send = async (thread: string) => {
    if (out.has(thread)) throw new Error(`two jobs of ${thread} at once`);
    out.add(thread);
    const isSent = await host.send({ id: randomUUID(), agent: 'bench', turn: thread, thread, priority: 1 });
    if (!isSent) throw new Error(`the job before of ${thread} is not over`);
  };
  for (const { onTold } of crew)
    onTold((told) => {
      if (told.kind !== 'done') return;
      for (const thread of told.threads) {
        out.delete(thread);
        done += 1;
        const rest = left.get(thread)! - 1;
        left.set(thread, rest);
        if (rest > 0) send(thread).catch(over.reject);
      }
      if (done === count) over.resolve();
    });
  const [startedAt, before] = [performance.now(), await postgresCpuMs(postgres)];
  for (let at = 0; at < threads; at += 1) {
    left.set(`thread-${at}`, count / threads);
    send(`thread-${at}`).catch(over.reject);
  }
  await over.promise;
  const rate = done / ((performance.now() - startedAt) / 1000);
  for (const { end } of crew) end();
  await host.close();
  const cost = ((await postgresCpuMs(postgres)) - before) / count;
  const what = `queue alone, ${showCount(count)} jobs, serial by thread`;
  const figure = atLeast(what, rate, LEAST_JOBS, 'jobs/s', quick);
  return { ...figure, ours: `PostgreSQL ${showMs(cost)} of a core a job` };
}

/** What it costs that a worker with four turns says that it lives. */
async function heartbeats(postgres: Postgres, count: number): Promise<Figure> {
  const room = `bench${randomUUID().slice(0, 8)}`;
  const queue = createPgBossQueue({ url: postgres.url, room, role: 'host', onTrouble: () => {} });
  for (const thread of ['a', 'b', 'c', 'd'])
    await queue.send({ id: randomUUID(), agent: 'bench', turn: thread, thread, priority: 1 });
  const jobs = await queue.fetch(['bench'], 4);
  const before = await postgresCpuMs(postgres);
  for (let at = 0; at < count; at += 1)
    if ((await queue.touch(jobs)).size !== 4) throw new Error('a heartbeat was lost');
  const cost = ((await postgresCpuMs(postgres)) - before) / count;
  await queue.close();
  return limitFigure('a heartbeat of a worker with four turns: PostgreSQL, of a core', cost, null, showMs);
}

function atLeast(what: string, rate: number, least: number, unit: string, quick: boolean): Figure {
  return {
    ...{ what, ours: '', peer: '', value: `${showCount(rate)} ${unit}` },
    bound: `≥ ${showCount(least)} ${unit}`,
    pass: quick ? null : rate >= least,
  };
}

async function wholeTurns(
  postgres: Postgres,
  count: number,
  quick: boolean,
  note: (text: string) => void,
): Promise<Figure[]> {
  const { room, daemon, crew, close } = await openSite(postgres, { count, state: 'todo' }, 64);
  try {
    let ended = 0;
    let warmAt = 0;
    let warmCpuMs = 0;
    const over = Promise.withResolvers<number>();
    const wrong: string[] = [];
    const forget = daemon.onEvent(({ type, state, message }) => {
      if (type !== 'turn.ended') return;
      ended += 1;
      if (state !== 'completed') wrong.push(message ?? '');
      if (ended === WARM_UP) [warmAt, warmCpuMs] = [performance.now(), daemon.cpuMs()];
      if (ended === count) over.resolve(performance.now());
    });
    const crews = await crew(PROCESSES, 1, { slots: 16, holds: false });
    const limit = setTimeout(() => over.reject(new Error(`${ended} of ${count} turns ended`)), LIMIT_MS);
    const overAt = await over.promise;
    clearTimeout(limit);
    forget();
    if (wrong.length > 0) throw new Error(`${wrong.length} turns did not complete: ${wrong[0]}`);
    const rate = (count - WARM_UP) / ((overAt - warmAt) / 1000);
    const cost = (daemon.cpuMs() - warmCpuMs) / (count - WARM_UP);
    const turns = atLeast(`turns, ${PROCESSES} workers, no-op agent`, rate, LEAST_TURNS, 'turns/s', quick);
    turns.ours = `the host ${showMs(cost)} of a core a turn`;
    note(`${turns.value}, ${turns.ours}`);
    return [turns, await dispatchToStart(room, daemon, crews, quick ? 20 : 200, quick)];
  } finally {
    await close();
  }
}

async function dispatchToStart(
  room: BenchRoom,
  daemon: Daemon,
  crews: readonly Crew[],
  count: number,
  quick: boolean,
): Promise<Figure> {
  const began = new Map<string, number>();
  for (const { onTold } of crews)
    onTold((told) => void (told.kind === 'began' && began.set(told.turn, told.at)));
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const path = join(room.tasksDir, room.names[at]!);
    const text = readFileSync(path, 'utf8').replace(
      '\n## Progress\n',
      `One more thing, ${at}.\n\n## Progress\n`,
    );
    const ended = new Promise<string>((resolve) => {
      const forget = daemon.onEvent(({ type, turn }) => {
        if (type !== 'turn.ended') return;
        forget();
        resolve(turn!);
      });
    });
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
    const turn = await ended;
    const ledger = new DatabaseSync(join(room.dir, '.taskroom', 'ledger.db'), { readOnly: true });
    const { started_at: startedAt } = ledger.prepare('SELECT started_at FROM turns WHERE id = ?').get(turn)!;
    ledger.close();
    times.push(began.get(turn)! - Number(startedAt));
    await sleep(20 + (at % 7) * 10);
  }
  const p50 = percentile(times, 0.5);
  const ours = `p99 ${showMs(percentile(times, 0.99))}`;
  return limitFigure(
    'dispatch to start at an idle worker, p50',
    p50,
    quick ? null : MOST_START_MS,
    showMs,
    ours,
  );
}

async function atRest(postgres: Postgres, quick: boolean): Promise<Figure[]> {
  const { daemon, crew, close } = await openSite(postgres, { count: 100, state: 'resting' }, 4);
  try {
    await crew(quick ? 2 : 10, 10, { slots: 4, holds: false });
    // Past the end of each worker's first wait, so that they are spread as they will be.
    await sleep(quick ? 1_000 : 25_000);
    const [startedAt, before] = [performance.now(), daemon.cpuMs()];
    let most = 0;
    for (let look = 0; look < (quick ? 4 : 120); look += 1) {
      await sleep(500);
      const sql = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'taskroom%'";
      const [found] = await postgres.query(sql);
      most = Math.max(most, Number(found!.n));
    }
    const share = (daemon.cpuMs() - before) / (performance.now() - startedAt);
    const showShare = (value: number) => `${(value * 100).toFixed(1)} %`;
    const workers = quick ? 20 : 100;
    return [
      limitFigure(`${workers} idle workers: the host, of a core`, share, quick ? null : MOST_IDLE, showShare),
      limitFigure(
        `${workers} idle workers: connections to PostgreSQL`,
        most,
        quick ? null : MOST_CONNECTIONS,
        showCount,
      ),
    ];
  } finally {
    await close();
  }
}

async function waitingTasks(postgres: Postgres, count: number): Promise<Figure> {
  const { crew, close } = await openSite(postgres, { count, state: 'todo' }, 4);
  const jobs = async () => {
    const [made] = await postgres.query("SELECT to_regclass('taskroom.job') IS NOT NULL AS is");
    if (made!.is !== true) return 0;
    const [found] = await postgres.query(
      "SELECT count(*)::int AS n FROM taskroom.job WHERE state < 'completed'",
    );
    return Number(found!.n);
  };
  try {
    const before = await jobs();
    const [first] = await crew(1, 1, { slots: 8, holds: true });
    let begun = 0;
    const full = new Promise<void>((resolve) =>
      first!.onTold(({ kind }) => {
        begun += kind === 'began' ? 1 : 0;
        if (begun === 4) resolve();
      }),
    );
    await full;
    await sleep(2_000);
    const what = `${showCount(count)} tasks wait, four run: jobs in PostgreSQL`;
    return limitFigure(what, (await jobs()) - before, 4, showCount);
  } finally {
    await close();
  }
}
