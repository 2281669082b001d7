// The turns that a worker has: each is claimed, run, reported and let go of. A turn is given up the moment that the queue gives it to
// another worker, or can't be told that this worker lives.

import { type Outcome, StopTurn } from '../../../agents/runner.ts';
import { isRoomError } from '../../../core/errors.ts';
import { createKeyedMutex } from '../../../core/keyed-mutex.ts';
import type { TurnReason } from '../../../core/rules/turn.ts';
import { type Effects, sleep, type Timer } from '../../../effects.ts';
import { type ClaimedTurn, type InHand, NOT_YOURS } from '../../worker-protocol.ts';
import type { WorkQueue } from '../queue/pg-boss-queue.ts';
import { HEARTBEAT_SECONDS, type Job } from '../queue/pg-boss-queue.ts';
import type { Guard } from './guard.ts';
import { createBackoff, type Host } from './host.ts';
import { createReporter, type Reporter } from './reporter.ts';

/** `signal` stops the turn; `handBack` aborts when it is given back. */
export interface TurnSignals {
  signal: AbortSignal;
  handBack: AbortSignal;
}

export interface ActiveTurnsOptions {
  effects: Effects;
  host: Host;
  queue: WorkQueue;
  /** Ends the turns' programs when this process stands still. */
  guard: Pick<Guard, 'heard' | 'idle'>;
  /** Runs one to its end, reports included. @throws RoomError `gone` when it is lost */
  run(claimed: ClaimedTurn, job: Job, reporter: Reporter, signals: TurnSignals): Promise<Outcome>;
  onBegun(claimed: ClaimedTurn): void;
  onOver(job: Job, how: string): void;
  onTrouble(error: unknown): void;
  /** The host does not understand this worker: nothing new is to be taken. */
  onRefused(): void;
}

const TOUCH_MS = 1_500;
/** Before the queue takes a turn away its processes are dead: TERM, 5 s, KILL. */
const SILENT_MS = HEARTBEAT_SECONDS * 1000 - 5_500;
const LEAVE_MS = 3_000;
/** For a turn that is given back to end, TERM, 5 s, KILL, and to say so. */
const LAST_WORDS_MS = 8_000;

interface InWork {
  job: Job;
  controller: AbortController;
  handBack: AbortController;
  /** Gives the turn up when the queue did not hear of it in time. */
  silence: Timer | null;
  /** When it does, on the monotonic clock. */
  lostAtMs: number;
  /** `ending`: its end is being told, and the host says whose attempt it was. Of `back` and `lost` the first one stays. */
  state: 'held' | 'ending' | 'back' | 'lost';
}

export type ActiveTurns = ReturnType<typeof createActiveTurns>;

export function createActiveTurns(options: ActiveTurnsOptions) {
  const works = new Set<InWork>();
  const waiting: (() => void)[] = [];
  const closed = new AbortController();
  const byJob = createKeyedMutex().run;
  let isBeating = false;
  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    while (works.size > 0 && !closed.signal.aborted)
      await Promise.all([touch(options, works), sleep(options.effects, TOUCH_MS, closed.signal)]);
    isBeating = false;
  }
  return {
    /** @param knownAtMs when the queue was asked for the job, on the monotonic clock */
    take(job: Job, knownAtMs: number) {
      const controllers = { controller: new AbortController(), handBack: new AbortController() };
      const work: InWork = { job, ...controllers, silence: null, lostAtMs: 0, state: 'held' };
      works.add(work);
      heardOf(options, work, knownAtMs);
      void beat();
      // A job that was lost and comes here again waits until nothing of it is left.
      void byJob(job.id, () => carry(options, work)).finally(() => {
        work.silence?.cancel();
        works.delete(work);
        if (works.size === 0) {
          options.guard.idle();
          for (const resolve of waiting.splice(0)) resolve();
        }
        options.onOver(job, work.state === 'back' || work.state === 'lost' ? work.state : 'over');
      });
    },
    count: () => works.size,
    list: () => [...works].map(({ job }) => ({ turn: job.turn, attempt: job.attempt })),
    stop({ turn, attempt, reason }: InHand & { reason: TurnReason }) {
      for (const { job, controller } of works)
        if (job.turn === turn && job.attempt === attempt) controller.abort(new StopTurn(reason));
    },
    /** Gives all of them back for others. */
    handBack() {
      for (const work of works) letGo(work, 'back');
    },
    settled: () =>
      works.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)),
    close: () => closed.abort(),
  };
}

function letGo(work: InWork, how: 'back' | 'lost'): void {
  if (work.state === 'held' || work.state === 'ending') work.state = how;
  work.controller.abort(new StopTurn('interrupted'));
  // A turn that was lost before has nothing to give back, and is left as well.
  if (how === 'back') work.handBack.abort();
}

/** The queue knows since `atMs` that this worker lives; a job that it does not hear of again it takes away. */
function heardOf({ effects, guard }: ActiveTurnsOptions, work: InWork, atMs: number): void {
  work.silence?.cancel();
  work.lostAtMs = atMs + SILENT_MS;
  const leftMs = Math.max(0, work.lostAtMs - effects.monotonicMs());
  work.silence = effects.setTimer(leftMs, () => letGo(work, 'lost'));
  guard.heard();
}

/** Tells the queue that this worker lives, and gives up what the queue gave to others. */
async function touch(options: ActiveTurnsOptions, works: ReadonlySet<InWork>): Promise<void> {
  const own = [...works].filter(({ state }) => state !== 'lost');
  const askedAt = options.effects.monotonicMs();
  try {
    const alive = await options.queue.touch(own.map(({ job }) => job));
    for (const work of own) {
      // The host completes the job of a turn whose end it hears.
      if (!alive.has(work.job.id)) {
        if (work.state !== 'ending') letGo(work, 'lost');
      } else if (works.has(work)) heardOf(options, work, askedAt);
    }
  } catch {
    // The queue is asked again until each turn's time is over.
  }
}

/** Never rejects. */
async function carry(options: ActiveTurnsOptions, work: InWork): Promise<void> {
  const { host, effects } = options;
  const { job, controller, handBack } = work;
  const onTrouble = (error: unknown) => {
    if (!isRoomError(error, 'gone')) options.onTrouble(error);
    if (isRoomError(error, 'bad_input')) options.onRefused();
  };
  const reporter = createReporter({ effects, host, job, onLost: () => letGo(work, 'lost'), onTrouble });
  const over = new AbortController();
  handBack.signal.addEventListener('abort', () => {
    void sleep(effects, LAST_WORDS_MS, over.signal).then(reporter.close);
  });
  try {
    const claimed = await claim(options, work);
    if (claimed === null) return;
    options.onBegun(claimed);
    const signals = { signal: controller.signal, handBack: handBack.signal };
    const end = await options.run(claimed, job, reporter, signals);
    // This process stood still, and its guard ended the program: nobody tells that.
    if (effects.monotonicMs() >= work.lostAtMs) letGo(work, 'lost');
    if (work.state === 'back') await leave(options, job, reporter);
    if (work.state !== 'held') return;
    work.state = 'ending';
    await reporter.report({ kind: 'end', end });
  } catch (error) {
    onTrouble(error);
    // What went wrong here alone is another worker's to try.
    if (work.state !== 'lost') await leave(options, job, reporter);
  } finally {
    over.abort();
    reporter.close();
  }
}

/** Null when there is nothing to run. */
async function claim(
  { host, queue, effects }: ActiveTurnsOptions,
  work: InWork,
): Promise<ClaimedTurn | null> {
  const { job, controller } = work;
  const backoff = createBackoff(effects, 250, 2_000);
  for (;;) {
    try {
      return await host('claim', { turn: job.turn, attempt: job.attempt }, controller.signal);
    } catch (error) {
      const code = isRoomError(error) ? error.code : 'unavailable';
      const isGone = code === 'gone';
      // The turn ended before: only its job is left.
      if (isGone) await queue.complete(job).catch(() => undefined);
      if (work.state === 'back' || (NOT_YOURS.includes(code) && !isGone))
        await queue.giveBack(job).catch(() => undefined);
      // A host of another version refuses it in the same way for ever.
      if (code === 'bad_input') throw error;
      if (NOT_YOURS.includes(code) || controller.signal.aborted) return null;
      await backoff.rest(controller.signal);
    }
  }
}

async function leave({ queue, effects }: ActiveTurnsOptions, job: Job, reporter: Reporter): Promise<void> {
  const told = reporter.report({ kind: 'left' }).catch(() => undefined);
  await Promise.race([told, sleep(effects, LEAVE_MS)]);
  await Promise.race([queue.giveBack(job).catch(() => undefined), sleep(effects, LEAVE_MS)]);
}
