// What every queue must do, whatever holds its requests. A new queue passes this suite before anything uses it.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newTurnId, type TaskId, type ThreadId, type TurnId, threadOfTask } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import type { TurnRequest } from '../../src/store/ledger/turns/requests.ts';
import type { TurnStart } from '../../src/store/ledger/turns/turns.ts';
import { type Handed, type HandingOut, workQueueConformance } from '../conformance/work-queue.ts';
import { forEachTest, partOf } from '../support/for-each-test.ts';
import { ENDED_WELL, type Queue, queueOf } from '../support/ledger-queue.ts';
import { tempFolder } from '../support/temp-folder.ts';

interface QueueUnderTest {
  queue: Queue;
  /** The same requests seen by a fresh handle, as after a restart. */
  reopen(): Promise<Queue>;
  close(): Promise<void>;
}

const NOTHING_FULL = { fullOrigins: [], fullAgents: [], busyThreads: [] } as const;
let serial = 0;

function request(task: string, change: Partial<TurnRequest> = {}): TurnRequest {
  const thread = threadOfTask(task as TaskId);
  const base = { thread, origin: 'task', agent: 'runbook', reasons: ['new'], priority: 1 } as const;
  return { ...base, reasons: [...base.reasons], askedAt: 1_000, forced: false, outside: true, ...change };
}

function start(asked: TurnRequest): TurnStart {
  serial += 1;
  const id = newTurnId('command', (size) => new Uint8Array(size).fill(serial % 250));
  const { thread, origin, agent, reasons, outside, askedAt } = asked;
  return {
    id,
    thread,
    origin,
    agent,
    runner: 'command',
    reasons,
    outside,
    askedAt,
    attempt: 1,
    revision: 'r',
    description: 'd',
    startedAt: 2_000,
  };
}

const end = { ...ENDED_WELL, endedAt: 3_000 };
const nothing = () => {};

function queueConformance(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`queue: ${name}`, () => {
    const tested = forEachTest(() => open());
    const queue = partOf(tested, 'queue');

    const order = (): string[] => {
      const seen: ThreadId[] = [];
      for (;;) {
        const next = queue.next({ ...NOTHING_FULL, busyThreads: seen });
        if (next === null) return seen.map((thread) => thread.replace('task:local:', ''));
        seen.push(next.thread);
      }
    };

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
      expect(queue.next({ ...NOTHING_FULL, fullOrigins: ['task'] })?.thread).toBe('task:local:b');
      expect(queue.next({ ...NOTHING_FULL, busyThreads: [threadOfTask('a' as TaskId)] })?.thread).toBe(
        'task:local:c',
      );
      expect(queue.next({ fullOrigins: ['chore'], fullAgents: ['runbook'], busyThreads: [] })?.agent).toBe(
        'coder',
      );
      expect(
        queue.next({ fullOrigins: ['chat', 'task', 'chore'], fullAgents: [], busyThreads: [] }),
      ).toBeNull();
    });

    it('serialises a thread: nothing is handed out while its turn runs', () => {
      const asked = request('a');
      queue.ask(asked);
      const turn = start(asked);
      expect(queue.begin(turn)).toBe(true);
      expect(queue.begin(start(asked))).toBe(false);
      queue.ask(request('a', { reasons: ['edited'] }));
      expect(queue.next(NOTHING_FULL)).toBeNull();
      expect(queue.end(turn.id, end, nothing)).toBe(true);
      expect(queue.next(NOTHING_FULL)?.reasons).toEqual(['edited']);
    });

    it('records an end once, together with what belongs to it', () => {
      const asked = request('a');
      queue.ask(asked);
      const turn = start(asked);
      queue.begin(turn);
      let times = 0;
      const also = () => {
        times += 1;
      };
      expect(queue.end(turn.id, end, also)).toBe(true);
      expect(queue.end(turn.id, { ...end, state: 'failed', reason: 'exit' }, also)).toBe(false);
      expect(times).toBe(1);
    });

    it('takes the end back when what belongs to it fails', () => {
      const asked = request('a');
      queue.ask(asked);
      const turn = start(asked);
      queue.begin(turn);
      const fail = () => {
        throw new Error('planned');
      };
      expect(() => queue.end(turn.id, end, fail)).toThrow('planned');
      expect(queue.end(turn.id, end, nothing)).toBe(true);
    });

    it('drops a request', () => {
      queue.ask(request('a'));
      expect(queue.drop(threadOfTask('a' as TaskId))).toBe(true);
      expect(queue.drop(threadOfTask('a' as TaskId))).toBe(false);
      expect(queue.next(NOTHING_FULL)).toBeNull();
    });

    it('survives a restart', async () => {
      queue.ask(request('a'));
      const asked = request('b', { priority: 0 });
      queue.ask(asked);
      queue.begin(start(asked));
      const again = await tested.reopen();
      expect(again.countPending()).toBe(1);
      expect(again.next(NOTHING_FULL)?.thread).toBe('task:local:a');
      again.ask(request('b'));
      expect(again.next({ ...NOTHING_FULL, busyThreads: [threadOfTask('a' as TaskId)] })).toBeNull();
    });
  });
}

queueConformance('embedded in the ledger', async () => {
  const dir = tempFolder('taskroom-queue');
  const ledgers = [openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() })];
  return {
    queue: queueOf(ledgers[0]!),
    async reopen() {
      ledgers.push(openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() }));
      return queueOf(ledgers[1]!);
    },
    async close() {
      for (const ledger of ledgers) ledger.close();
    },
  };
});

/** The embedded queue as whoever hands its requests out sees it. */
function handOut(ledger: ReturnType<typeof openLedger>): HandingOut {
  const queue = queueOf(ledger);
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
  const dir = tempFolder('taskroom-queue');
  const ledgers = [openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() })];
  return {
    ...handOut(ledgers[0]!),
    async reopen() {
      ledgers.push(openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() }));
      return handOut(ledgers[1]!);
    },
    async close() {
      for (const ledger of ledgers) ledger.close();
    },
  };
});
