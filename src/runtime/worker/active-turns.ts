// The turns that a worker has: each claimed, run, reported, and let go of; kept alive in the queue, and given up the moment the
// queue gives it to somebody else or can't be told that the worker lives.
import { isRoomError } from '../../core/errors.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import { type Effects, sleep, type Timer } from '../../effects.ts';
import { type Outcome, StopTurn } from '../../runners/runner.ts';
import type { WorkQueue } from '../work-queue/pg-boss-queue.ts';
import { HEARTBEAT_SECONDS, type Job } from '../work-queue/work-queue.ts';
import { type ClaimedTurn, type InHand, NOT_YOURS } from '../worker-protocol.ts';
import type { Guard } from './guard.ts';
import type { Host } from './host.ts';
import { createReporter, type Reporter, tell } from './reporter.ts';

export interface ActiveTurnsOptions {
  effects: Effects;
  host: Host;
  queue: WorkQueue;
  /** Ends the turns' programs when this process stands still. */
  guard: Pick<Guard, 'heard' | 'idle'>;
  /** Runs one to its end, reports included. @throws RoomError `gone` when it is lost */
  run(
    claimed: ClaimedTurn,
    job: Job,
    reporter: Reporter,
    signals: { signal: AbortSignal; handBack: AbortSignal },
  ): Promise<Outcome>;
  onBegun(claimed: ClaimedTurn): void;
  onOver(job: Job, how: string): void;
  onTrouble(error: unknown): void;
  /** The host does not understand this worker: nothing new is to be taken. */
  onRefused(): void;
}

const TOUCH_MS = 1_500;
/** Before the queue takes a turn away its processes are dead: TERM, 5 s, KILL. */
const SILENT_MS = HEARTBEAT_SECONDS * 1000 - 5_500;
const CLAIM_AGAIN_MS = 250;
const LONGEST_REST_MS = 2_000;
const LEAVE_MS = 3_000;
/** For a turn that is given back to end, TERM, 5 s, KILL, and to say so; a host that is away is waited for no longer. */
const LAST_WORDS_MS = 8_000;

interface InWork {
  job: Job;
  controller: AbortController;
  /** Aborts when it is given back. */
  handBack: AbortController;
  /** Gives it up when the queue did not hear of it in time. */
  silence: Timer | null;
  /** When it does, on the monotonic clock. */
  lostAtMs: number;
  /** Its end is being told: the host completes the job, and says whether the attempt was still this worker's. */
  isEnding: boolean;
  /** It is given back, or taken away: its end is not told. */
  letGo: 'back' | 'lost' | null;
}

export type ActiveTurns = ReturnType<typeof createActiveTurns>;

export function createActiveTurns(options: ActiveTurnsOptions) {
  const works = new Map<string, InWork>();
  const waiting: (() => void)[] = [];
  const byTurns = createKeyedMutex().run;
  const heart = createHeart(options, works);
  return {
    /** @param knownAtMs when the queue was asked for it, on the monotonic clock: it is lost so long after that */
    take(job: Job, knownAtMs: number) {
      const controllers = { controller: new AbortController(), handBack: new AbortController() };
      const work: InWork = {
        job,
        ...controllers,
        silence: null,
        ...{ lostAtMs: 0, isEnding: false, letGo: null },
      };
      const key = `${job.id}.${job.attempt}`;
      works.set(key, work);
      heardOf(options, work, knownAtMs);
      heart.beat();
      // One that was lost and comes here again waits until nothing of it is left.
      void byTurns(job.id, () => carry(options, work)).finally(() => {
        work.silence?.cancel();
        works.delete(key);
        if (works.size === 0) options.guard.idle();
        if (works.size === 0) for (const resolve of waiting.splice(0)) resolve();
        options.onOver(job, work.letGo ?? 'over');
      });
    },
    count: () => works.size,
    list: () => [...works.values()].map(({ job }) => ({ turn: job.turn, attempt: job.attempt })),
    stop({ turn, attempt, reason }: InHand & { reason: TurnReason }) {
      for (const { job, controller } of works.values())
        if (job.turn === turn && job.attempt === attempt) controller.abort(new StopTurn(reason));
    },
    /** Gives all of them back for others. */
    handBack() {
      for (const work of works.values()) letGo(work, 'back');
    },
    settled: () =>
      works.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)),
    close: heart.close,
  };
}

function letGo(work: InWork, how: NonNullable<InWork['letGo']>): void {
  work.letGo ??= how;
  work.controller.abort(new StopTurn('interrupted'));
  // One that was lost before has nothing to give back, and is left as well.
  if (how === 'back') work.handBack.abort();
}

/** The queue knows since `atMs` that it is alive; what it does not hear again it takes away. */
function heardOf({ effects, guard }: ActiveTurnsOptions, work: InWork, atMs: number): void {
  work.silence?.cancel();
  work.lostAtMs = atMs + SILENT_MS;
  const leftMs = Math.max(0, work.lostAtMs - effects.monotonicMs());
  work.silence = effects.setTimer(leftMs, () => letGo(work, 'lost'));
  guard.heard();
}

/** Never rejects. */
async function carry(options: ActiveTurnsOptions, work: InWork): Promise<void> {
  const { host, effects, onTrouble } = options;
  const { job, controller } = work;
  const reporter = createReporter({
    effects,
    send: (first, reports, signal) => tell(host, job, first, reports, signal),
    onLost: () => letGo(work, 'lost'),
    onTrouble(error) {
      onTrouble(error);
      if (isRoomError(error, 'bad_input')) options.onRefused();
    },
  });
  const over = new AbortController();
  work.handBack.signal.addEventListener('abort', () => {
    void sleep(effects, LAST_WORDS_MS, over.signal).then(reporter.close);
  });
  try {
    const claimed = await claim(options, work);
    if (claimed === null) return;
    options.onBegun(claimed);
    const signals = { signal: controller.signal, handBack: work.handBack.signal };
    const outcome = await options.run(claimed, job, reporter, signals);
    // This process stood still: its guard ended the program, and that is told by nobody.
    if (effects.monotonicMs() >= work.lostAtMs) letGo(work, 'lost');
    work.isEnding = work.letGo === null;
    if (work.isEnding) await reporter.report({ kind: 'end', end: outcome });
    else if (work.letGo === 'back') await leave(options, job, reporter);
  } catch (error) {
    if (!isRoomError(error, 'gone')) onTrouble(error);
    if (isRoomError(error, 'bad_input')) options.onRefused();
    // What went wrong here alone is another worker's to try.
    if (work.letGo !== 'lost') await leave(options, job, reporter);
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
  for (let restMs = CLAIM_AGAIN_MS; ; restMs = Math.min(restMs * 2, LONGEST_REST_MS)) {
    try {
      return await host('claim', { turn: job.turn, attempt: job.attempt }, controller.signal);
    } catch (error) {
      const code = isRoomError(error) ? error.code : 'unavailable';
      // It ended before: the job is what is left of it.
      if (code === 'gone') await queue.complete(job).catch(() => undefined);
      if (work.letGo === 'back' || (NOT_YOURS.includes(code) && code !== 'gone'))
        await queue.giveBack(job).catch(() => undefined);
      // A host of another version refuses it in the same way for ever.
      if (code === 'bad_input') throw error;
      if (NOT_YOURS.includes(code) || controller.signal.aborted) return null;
      await sleep(effects, restMs, controller.signal);
    }
  }
}

async function leave({ queue, effects }: ActiveTurnsOptions, job: Job, reporter: Reporter): Promise<void> {
  const told = reporter.report({ kind: 'left' }).catch(() => undefined);
  await Promise.race([told, sleep(effects, LEAVE_MS)]);
  await Promise.race([queue.giveBack(job).catch(() => undefined), sleep(effects, LEAVE_MS)]);
}

/** Tells the queue that this worker lives, and gives up what it can't be told of. */
function createHeart(options: ActiveTurnsOptions, works: ReadonlyMap<string, InWork>) {
  const { effects, queue } = options;
  const closed = new AbortController();
  let isBeating = false;
  async function beatOn(): Promise<void> {
    isBeating = true;
    while (works.size > 0 && !closed.signal.aborted) {
      await Promise.all([touch(), sleep(effects, TOUCH_MS, closed.signal)]);
    }
    isBeating = false;
  }
  async function touch(): Promise<void> {
    const own = [...works.values()].filter(({ letGo: how }) => how !== 'lost');
    const askedAt = effects.monotonicMs();
    try {
      const alive = await queue.touch(own.map(({ job }) => job));
      const still = new Set(works.values());
      for (const work of own) {
        if (!alive.has(work.job.id)) {
          if (!work.isEnding) letGo(work, 'lost');
        } else if (still.has(work)) heardOf(options, work, askedAt);
      }
    } catch {
      // Asked again until each one's time is over.
    }
  }
  return {
    beat() {
      if (!isBeating) void beatOn();
    },
    close: () => closed.abort(),
  };
}
