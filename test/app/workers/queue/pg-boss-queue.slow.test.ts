// The queue of work on a real PostgreSQL: what it shares with the embedded one, and what only an engine for many machines
// has to do: attempts, heartbeats, hand-backs, and a database that dies.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { examinePgBoss } from '../../../../src/app/examine/examine-queue.ts';
import type { Job } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { createPgBossQueue, type WorkQueue } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { createNodeEffects } from '../../../../src/node.ts';
import { type HandingOut, newId, workQueueConformance } from '../../../conformance/work-queue.ts';
import { forAllTests } from '../../../support/for-each-test.ts';
import { startPostgres } from '../../../support/postgres.ts';

const postgres = forAllTests(() => startPostgres());
let rooms = 0;
const opened: WorkQueue[] = [];

afterAll(async () => {
  for (const queue of opened) await queue.close();
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
  return { ...handOut(host), reopen: async () => handOut(open(room, 'worker')), close: () => host.close() };
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

  it('works with the roles that docs/scaling.md gives host and workers, and lets a worker change no schema', async () => {
    const doc = readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8');
    const [roles, rights] = [...doc.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!);
    // A database can't be made beside other statements.
    for (const sql of roles!.replaceAll("'…'", "'word'").split(';\n').filter(Boolean))
      await postgres.query(sql);
    const as = (role: string) => {
      const url = new URL(postgres.url.replace(/\/\/[^@]*@/, `//${role}:word@`));
      url.pathname = '/taskroom';
      return url.href;
    };
    const room = nextRoom();
    const open = (url: string, role: 'host' | 'worker') => {
      const queue = createPgBossQueue({ url, room, role, onTrouble: () => {} });
      opened.push(queue);
      return queue;
    };
    const host = open(as('taskroom'), 'host');
    await host.send(jobOf('a'));
    const worker = open(as('taskroom_worker'), 'worker');
    await expect(worker.fetch(['coder'], 1)).rejects.toMatchObject({ code: 'unavailable' });
    await postgres.query(rights!, as('taskroom'));
    // Tables of agents that come later are under the same rights.
    await host.send({ ...jobOf('b'), agent: 'tester' });
    const jobs = await worker.fetch(['coder', 'tester'], 2);
    expect(jobs.map(({ thread }) => thread)).toEqual(['a', 'b']);
    expect(await worker.touch(jobs)).toEqual(new Set(jobs.map(({ id }) => id)));
    expect(await worker.giveBack(jobs[0]!)).toBe(true);
    expect(await worker.complete(jobs[1]!)).toBe(true);
    await expect(worker.prepare(['third'])).rejects.toMatchObject({ code: 'unavailable' });
    const effects = createNodeEffects();
    const exam = await examinePgBoss({ url: as('taskroom'), room, onTrouble: () => {} }, effects);
    expect(exam.role).toEqual({ name: 'taskroom', isSuperuser: false, ownsTables: true, lacks: [] });
    expect(exam.jobs).toMatchObject([{ id: jobs[0]!.id, agent: 'coder', state: 'retry' }]);
    const narrow = await examinePgBoss({ url: as('taskroom_worker'), room, onTrouble: () => {} }, effects);
    expect(narrow.role).toMatchObject({ ownsTables: false, lacks: [] });
  });

  it('joins what is asked for at once, and answers each by itself', async () => {
    const host = open(nextRoom(), 'host');
    const jobs = Array.from({ length: 50 }, (_, at) => jobOf(`thread-${at}`));
    const again = jobOf('thread-7');
    const sent = await Promise.all([...jobs, again, jobs[3]!].map((job) => host.send(job)));
    expect(sent.slice(0, 50).every(Boolean)).toBe(true);
    expect(sent.slice(50)).toEqual([false, true]);
    const taken = await host.fetch(['coder'], 50);
    expect(taken).toHaveLength(50);
    const stale = { ...taken[0]!, attempt: 4 };
    const done = await Promise.all([stale, ...taken, taken[1]!].map((job) => host.complete(job)));
    expect(done).toEqual([false, ...taken.map(() => true), false]);
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
