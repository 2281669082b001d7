// When a worker gives up what the queue can't be told of: before the queue gives it to somebody else, also where it says nothing.
import { afterEach, expect, test } from 'vitest';
import type { Outcome } from '../../../../src/agents/runner.ts';
import type { WorkerCall } from '../../../../src/app/worker-protocol.ts';
import type { WorkQueue } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { HEARTBEAT_SECONDS, type Job } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { type ActiveTurns, createActiveTurns } from '../../../../src/app/workers/worker/active-turns.ts';
import type { Host } from '../../../../src/app/workers/worker/host.ts';
import { RoomError } from '../../../../src/core/errors.ts';
import { ENDED_WELL } from '../../../support/ledger-queue.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';

/** TERM, then KILL. */
const KILL_MS = 5_000;
const STOPPED: Outcome = { ...ENDED_WELL, state: 'killed', reason: 'interrupted', exitCode: null };

let hand: ActiveTurns;
afterEach(async () => {
  hand.handBack();
  await hand.settled();
  hand.close();
});

const jobOf = (id: string): Job => ({ id, agent: 'coder', turn: `r${id}`, thread: id, attempt: 0 });

const guard = { heard: () => undefined, idle: () => undefined };

/** A host that hands every turn out and takes every report, but for what is given. */
function hostThat(answers: { [Name in WorkerCall]?: () => Promise<unknown> }): Host {
  const usual = async ({ turn }: { turn?: string }) => ({ turn, answers: [{ kind: 'done' }] });
  return ((name: WorkerCall, input: object) => (answers[name] ?? usual)(input)) as unknown as Host;
}

/** Turns that run until they are told to stop; when each was, by its id. */
function start(clock: ManualClock, touch: WorkQueue['touch']) {
  const stoppedAt = new Map<string, number>();
  hand = createActiveTurns({
    ...{ effects: clock, guard },
    host: hostThat({}),
    queue: { touch, giveBack: async () => true } as Partial<WorkQueue> as WorkQueue,
    run: (_claimed, job, _reporter, { signal }) =>
      new Promise((resolve) => {
        const stop = () => {
          stoppedAt.set(job.id, clock.monotonicMs());
          resolve(STOPPED);
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      }),
    onBegun: () => undefined,
    onOver: () => undefined,
    onTrouble: () => undefined,
    onRefused: () => undefined,
  });
  return stoppedAt;
}

test('a queue that says nothing any more leaves time to end each turn before it is given away', async () => {
  const clock = createManualClock();
  let isSilent = false;
  const asked: string[] = [];
  const stoppedAt = start(clock, async (jobs) => {
    for (const { id } of jobs) asked.push(id);
    if (isSilent) return new Promise(() => undefined);
    return new Set(jobs.map(({ id }) => id));
  });
  hand.take(jobOf('first'), clock.monotonicMs());
  await clock.advanceGently(2_000);
  // Taken between two beats: the queue knows of it since it was asked for it.
  const takenAt = clock.monotonicMs();
  hand.take(jobOf('second'), takenAt - 200);
  isSilent = true;
  await clock.advanceGently(HEARTBEAT_SECONDS * 1000);
  expect(asked).toContain('second');
  expect([...stoppedAt.keys()].sort()).toEqual(['first', 'second']);
  expect(stoppedAt.get('second')! + KILL_MS).toBeLessThan(takenAt - 200 + HEARTBEAT_SECONDS * 1000);
  expect(stoppedAt.get('first')! + KILL_MS).toBeLessThan(2_000 + HEARTBEAT_SECONDS * 1000);
});

test('a queue that knows of it keeps it, however long it runs', async () => {
  const clock = createManualClock();
  const stoppedAt = start(clock, async (jobs) => new Set(jobs.map(({ id }) => id)));
  hand.take(jobOf('long'), clock.monotonicMs());
  await clock.advanceGently(10 * HEARTBEAT_SECONDS * 1000);
  expect(stoppedAt.size).toBe(0);
});

test('one that the queue handed out too long ago is not begun', async () => {
  const clock = createManualClock();
  const stoppedAt = start(clock, async (jobs) => new Set(jobs.map(({ id }) => id)));
  hand.take(jobOf('late'), clock.monotonicMs() - HEARTBEAT_SECONDS * 1000);
  await clock.advanceGently(1);
  expect([hand.count(), stoppedAt.size]).toEqual([0, 0]);
});

/** Turns whose host is away: what they tell waits for it. */
function startAway(clock: ManualClock, touch: WorkQueue['touch']) {
  const givenBack: string[] = [];
  hand = createActiveTurns({
    ...{ effects: clock, guard },
    host: hostThat({
      report: async () => {
        throw new RoomError('unavailable', 'nobody answers');
      },
    }),
    queue: { touch, giveBack: async ({ id }) => givenBack.push(id) > 0 } as Partial<WorkQueue> as WorkQueue,
    async run(_claimed, _job, reporter) {
      await reporter.report({ kind: 'started' });
      return STOPPED;
    },
    onBegun: () => undefined,
    onOver: () => undefined,
    onTrouble: () => undefined,
    onRefused: () => undefined,
  });
  return givenBack;
}

test.each([
  { queue: 'there', touch: async (jobs: readonly Job[]) => new Set(jobs.map(({ id }) => id)), back: ['a'] },
  { queue: 'gone too, and the turn lost', touch: async () => new Set<string>(), back: [] },
])('what is handed back while the host is away is left, the queue $queue', async ({ touch, back }) => {
  const clock = createManualClock();
  const givenBack = startAway(clock, touch);
  hand.take(jobOf('a'), clock.monotonicMs());
  await clock.advanceGently(3 * HEARTBEAT_SECONDS * 1000);
  // The host is waited for as long as nobody says otherwise.
  expect(hand.count()).toBe(1);
  hand.handBack();
  await clock.advanceGently(15_000);
  expect([hand.count(), givenBack]).toEqual([0, back]);
});
