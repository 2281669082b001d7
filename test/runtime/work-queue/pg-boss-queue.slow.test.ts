// The queue of work on a real PostgreSQL: what it shares with the embedded one, and what only an engine for many machines
// has to do: attempts, heartbeats, hand-backs, and a database that dies.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPgBossQueue } from '../../../src/runtime/work-queue/pg-boss-queue.ts';
import type { Job, WorkQueue } from '../../../src/runtime/work-queue/work-queue.ts';
import { type HandingOut, newId, workQueueConformance } from '../../conformance/work-queue.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';

let postgres: Postgres;
let rooms = 0;
const opened: WorkQueue[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  for (const queue of opened) await queue.close();
  await postgres.close();
});

function open(room: string, role: 'host' | 'worker'): WorkQueue {
  const queue = createPgBossQueue({ url: postgres.url, room, role, onTrouble: () => {} });
  opened.push(queue);
  return queue;
}

const nextRoom = () => {
  rooms += 1;
  return `room${rooms}`;
};

const jobOf = (thread: string, priority = 1) => ({
  id: newId(),
  agent: 'coder',
  turn: `r${thread}`,
  thread,
  priority,
});

function handOut(queue: WorkQueue): HandingOut {
  const full = (turn: { id: string; thread: string }, attempt = 0): Job => ({
    ...{ id: turn.id, agent: 'coder', turn: 'rx', thread: turn.thread, attempt },
  });
  return {
    send: async (id, thread, priority) => void (await queue.send({ ...jobOf(thread, priority), id })),
    fetch: (most) => queue.fetch(['coder'], most),
    complete: (turn) => queue.complete(full(turn, turn.attempt)),
    cancel: (turn) => queue.cancel(full(turn)),
  };
}

workQueueConformance('by pg-boss on PostgreSQL, to workers', async () => {
  const room = nextRoom();
  const host = open(room, 'host');
  await host.prepare(['coder']);
  return {
    ...handOut(host),
    reopen: async () => handOut(open(room, 'worker')),
    close: () => host.close(),
  };
});

describe('the queue on PostgreSQL', () => {
  it('gives each worker the jobs of the agents it names, and of its room', async () => {
    const room = nextRoom();
    const host = open(room, 'host');
    const other = open(nextRoom(), 'host');
    await host.prepare(['coder', 'tester']);
    await other.prepare(['coder']);
    await host.send(jobOf('a'));
    await host.send({ ...jobOf('b'), agent: 'tester' });
    const worker = open(room, 'worker');
    expect(await other.fetch(['coder'], 5)).toEqual([]);
    expect((await worker.fetch(['tester'], 5)).map(({ thread }) => thread)).toEqual(['b']);
    expect((await worker.fetch(['tester', 'coder'], 5)).map(({ thread }) => thread)).toEqual(['a']);
  });

  it('lets a worker work with the role that docs/scaling.md gives it, which changes no schema', async () => {
    const room = nextRoom();
    const host = open(room, 'host');
    await host.send(jobOf('a'));
    await host.send(jobOf('b'));
    const doc = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
    const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(doc) ?? [];
    await postgres.query(sql.replace("'…'", "'word'").replaceAll('FOR ROLE taskroom ', 'FOR ROLE postgres '));
    const url = postgres.url.replace(/\/\/[^@]*@/, '//taskroom_worker:word@');
    const worker = createPgBossQueue({ url, room, role: 'worker', onTrouble: () => {} });
    opened.push(worker);
    const jobs = await worker.fetch(['coder'], 2);
    expect(await worker.touch(jobs)).toEqual(new Set(jobs.map(({ id }) => id)));
    expect(await worker.giveBack(jobs[0]!)).toBe(true);
    expect(await worker.complete(jobs[1]!)).toBe(true);
    await expect(worker.prepare(['tester'])).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('refuses a second job of a thread until the first is over', async () => {
    const host = open(nextRoom(), 'host');
    const first = jobOf('a');
    expect(await host.send(first)).toBe(true);
    expect(await host.send(first)).toBe(true);
    expect(await host.send(jobOf('a'))).toBe(false);
    const [job] = await host.fetch(['coder'], 5);
    expect(await host.send(jobOf('a'))).toBe(false);
    await host.complete(job!);
    expect(await host.send(jobOf('a'))).toBe(true);
  });

  it('gives a job that was given back to another at once, under the next attempt, and fences the first', async () => {
    const host = open(nextRoom(), 'host');
    await host.send(jobOf('a'));
    const [first] = await host.fetch(['coder'], 1);
    expect(await host.giveBack(first!)).toBe(true);
    expect(await host.find(first!)).toMatchObject({ state: 'waiting' });
    const [second] = await host.fetch(['coder'], 1);
    expect(second).toEqual({ ...first, attempt: 1 });
    expect(await host.touch([first!])).toEqual(new Set());
    expect(await host.complete(first!)).toBe(false);
    expect(await host.giveBack(first!)).toBe(false);
    expect(await host.find(first!)).toEqual({ state: 'active', attempt: 1 });
    expect(await host.complete(second!)).toBe(true);
    expect(await host.find(first!)).toMatchObject({ state: 'over' });
  });

  it('tells which of several jobs are lost', async () => {
    const host = open(nextRoom(), 'host');
    await host.send(jobOf('a'));
    await host.send(jobOf('b'));
    const jobs = await host.fetch(['coder'], 2);
    expect(await host.touch(jobs)).toEqual(new Set(jobs.map(({ id }) => id)));
    await host.cancel(jobs[0]!);
    expect(await host.touch(jobs)).toEqual(new Set([jobs[1]!.id]));
  });

  it('loses a worker that is silent, and keeps one that says it lives', async () => {
    const host = open(nextRoom(), 'host');
    await host.send(jobOf('silent'));
    await host.send(jobOf('alive'));
    const jobs = await host.fetch(['coder'], 2);
    const alive = jobs.find(({ thread }) => thread === 'alive')!;
    const began = performance.now();
    let again: Job[] = [];
    while (again.length === 0 && performance.now() - began < 30_000) {
      expect(await host.touch([alive])).toEqual(new Set([alive.id]));
      await new Promise((resolve) => setTimeout(resolve, 500));
      again = await host.fetch(['coder'], 2);
    }
    expect(again.map(({ thread, attempt }) => [thread, attempt])).toEqual([['silent', 1]]);
  });

  it('says what is missing when nobody answers, and goes on when the database is back', async () => {
    const host = open(nextRoom(), 'host');
    await host.send(jobOf('a'));
    await postgres.kill();
    await expect(host.find({ id: newId(), agent: 'coder' })).rejects.toMatchObject({ code: 'unavailable' });
    const late = open(nextRoom(), 'host');
    await expect(late.prepare(['coder'])).rejects.toMatchObject({ code: 'unavailable' });
    await postgres.start();
    expect((await host.fetch(['coder'], 1)).map(({ thread }) => thread)).toEqual(['a']);
    await late.prepare(['coder']);
  });
});
