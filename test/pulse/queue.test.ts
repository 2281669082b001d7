// The queue in the ledger: that it is one that hands turns out, and what only its own requests have.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newTurnId, type TaskId, type ThreadId, type TurnId, threadOfTask } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import type { TurnRequest } from '../../src/store/ledger/turns/requests.ts';
import type { TurnStart } from '../../src/store/ledger/turns/turns.ts';
import { type Handed, type HandingOut, workQueueConformance } from '../conformance/work-queue.ts';
import { forEachTest } from '../support/for-each-test.ts';
import { ENDED_WELL, type Queue, queueOf } from '../support/ledger-queue.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NOTHING_FULL = { fullOrigins: [], fullAgents: [], busyThreads: [] } as const;
const BEGUN = { runner: 'command', attempt: 1, revision: 'r', description: 'd', startedAt: 2_000 };
let serial = 0;

function request(task: string, change: Partial<TurnRequest> = {}): TurnRequest {
  const thread = threadOfTask(task as TaskId);
  const base = { thread, origin: 'task', agent: 'runbook', reasons: ['new'], priority: 1 } as const;
  return { ...base, reasons: [...base.reasons], askedAt: 1_000, forced: false, outside: true, ...change };
}

function start({ priority: _, forced: __, ...asked }: TurnRequest): TurnStart {
  serial += 1;
  return { ...asked, ...BEGUN, id: newTurnId('command', (size) => new Uint8Array(size).fill(serial % 250)) };
}

const end = { ...ENDED_WELL, endedAt: 3_000 };

/** Handles of one ledger, each as after a restart. */
function openHandles() {
  const path = join(tempFolder('taskroom-queue'), 'ledger.db');
  const ledgers: ReturnType<typeof openLedger>[] = [];
  const open = () => {
    ledgers.push(openLedger(path, { effects: createNodeEffects() }));
    return queueOf(ledgers.at(-1)!);
  };
  return { open, close: () => ledgers.forEach((ledger) => void ledger.close()) };
}

const handles = forEachTest(openHandles);
const queue = forEachTest(() => handles.open());

function order(): string[] {
  const seen: ThreadId[] = [];
  for (;;) {
    const next = queue.next({ ...NOTHING_FULL, busyThreads: seen });
    if (next === null) return seen.map((thread) => thread.replace('task:local:', ''));
    seen.push(next.thread);
  }
}

it('hands out by origin, then priority, then age', () => {
  queue.ask(request('old', { askedAt: 1 }));
  queue.ask(request('urgent', { askedAt: 5, priority: 0 }));
  queue.ask(request('chore', { askedAt: 0, origin: 'chore', priority: 0 }));
  queue.ask(request('chat', { askedAt: 9, origin: 'chat', priority: 2 }));
  queue.ask(request('young', { askedAt: 2 }));
  expect(order()).toEqual(['chat', 'urgent', 'old', 'young', 'chore']);
});

it('keeps one request a thread: reasons join, the higher priority and force win, the age stays', () => {
  queue.ask(request('a', { reasons: ['edited'], priority: 2, askedAt: 1, outside: false }));
  queue.ask(request('a', { reasons: ['run', 'edited'], priority: 0, askedAt: 9, forced: true }));
  expect(queue.countPending()).toBe(1);
  expect(queue.next(NOTHING_FULL)).toMatchObject(
    request('a', { reasons: ['edited', 'run'], priority: 0, askedAt: 1, forced: true }),
  );
});

it('passes over full origins, full agents and busy threads', () => {
  queue.ask(request('a'));
  queue.ask(request('b', { origin: 'chore' }));
  queue.ask(request('c', { agent: 'coder', priority: 2 }));
  const next = (full: object) => queue.next({ ...NOTHING_FULL, ...full })?.thread.replace('task:local:', '');
  expect(next({ fullOrigins: ['task'] })).toBe('b');
  expect(next({ busyThreads: [threadOfTask('a' as TaskId)] })).toBe('c');
  expect(next({ fullOrigins: ['chore'], fullAgents: ['runbook'] })).toBe('c');
  expect(next({ fullOrigins: ['chat', 'task', 'chore'] })).toBeUndefined();
});

it('begins no second turn of a thread, and keeps what is asked for meanwhile for the next', () => {
  const asked = request('a');
  queue.ask(asked);
  const turn = start(asked);
  expect(queue.begin(turn)).toBe(true);
  expect(queue.begin(start(asked))).toBe(false);
  queue.ask(request('a', { reasons: ['edited'] }));
  expect(queue.next(NOTHING_FULL)).toBeNull();
  expect(queue.end(turn.id, end, () => {})).toBe(true);
  expect(queue.next(NOTHING_FULL)?.reasons).toEqual(['edited']);
});

it('takes an end back when what belongs to it fails, and records it once, together with that', () => {
  const asked = request('a');
  queue.ask(asked);
  const turn = start(asked);
  queue.begin(turn);
  const fail = () => {
    throw new Error('planned');
  };
  expect(() => queue.end(turn.id, end, fail)).toThrow('planned');
  let times = 0;
  const also = () => {
    times += 1;
  };
  expect(queue.end(turn.id, end, also)).toBe(true);
  expect(queue.end(turn.id, { ...end, state: 'failed', reason: 'exit' }, also)).toBe(false);
  expect(times).toBe(1);
});

/** The queue as whoever hands its requests out sees it. */
function handOut(queue: Queue): HandingOut {
  let asked = 0;
  const begin = (): Handed | null => {
    const request = queue.next(NOTHING_FULL);
    if (request === null) return null;
    const { thread, origin, agent, reasons, outside, askedAt } = request;
    asked += 1;
    const id = `b${String(asked).padStart(8, 'x')}` as TurnId;
    const begun = { runner: 'command', attempt: 1, revision: 'r', description: '', startedAt: 1 } as const;
    queue.begin({ id, thread, origin, agent, reasons, outside, askedAt, ...begun });
    return { id, thread: thread.replace('task:local:', ''), attempt: 0 };
  };
  return {
    async send(_id, thread, priority) {
      asked += 1;
      const about = { thread: threadOfTask(thread as TaskId), origin: 'task', agent: 'runbook' } as const;
      const how = { priority: 9 - priority, askedAt: asked, forced: false, outside: true };
      queue.ask({ ...about, ...how, reasons: ['new'] });
    },
    fetch: async (most) => {
      const turns: Handed[] = [];
      for (let next = most > 0 ? begin() : null; next !== null; next = turns.length < most ? begin() : null)
        turns.push(next);
      return turns;
    },
    complete: async ({ id }) => queue.end(id as TurnId, { ...ENDED_WELL, endedAt: 2 }, () => {}),
    cancel: async ({ thread }) => void queue.drop(threadOfTask(thread as TaskId)),
  };
}

workQueueConformance('by the ledger, in this process', async () => {
  const { open, close } = openHandles();
  return { ...handOut(open()), reopen: async () => handOut(open()), close: async () => close() };
});
