// The turns that a worker has: each is claimed, run and reported. A turn is given up when the queue gives it to another worker, or gets no
// heartbeat of it in time.
import { type Outcome, StopTurn } from '../../../agents/runner.ts';
import { isRoomError } from '../../../core/errors.ts';
import { createKeyedMutex } from '../../../core/keyed-mutex.ts';
import type { TurnReason } from '../../../core/rules/turn.ts';
import { type Effects, sleep, type Timer } from '../../../effects.ts';
import { type ClaimedTurn, NOT_YOURS, type TurnAttempt } from '../../worker-protocol.ts';
import { HEARTBEAT_SECONDS, type Job, type WorkQueue } from '../queue/pg-boss-queue.ts';
import type { Guard } from './guard.ts';
import { type Host, untilItWorks } from './host.ts';
import { createReporter, type Reporter } from './reporter.ts';

interface ActiveTurnsOptions {
  effects: Effects;
  host: Host;
  queue: WorkQueue;
  guard: Pick<Guard, 'heard' | 'idle'>; // Ends the turns' programs when this process stands still.
  /** Runs a turn to its end, reports included. @throws RoomError `gone` when it is lost */
  run(
    claimed: ClaimedTurn,
    job: Job,
    reporter: Reporter,
    /** `signal` stops the turn; `handBack` aborts when it is given back. */
    signals: { signal: AbortSignal; handBack: AbortSignal },
  ): Promise<Outcome>;
  onBegun(claimed: ClaimedTurn): void;
  onOver(job: Job, how: string): void;
  onTrouble(error: unknown): void;
  onRefused(): void; // The host does not understand this worker.
}

const TOUCH_MS = 1_500;
/** The turn's processes are dead (TERM, 5 s, KILL) before the queue takes it away. */
const SILENT_MS = HEARTBEAT_SECONDS * 1000 - 5_500;
const LEAVE_MS = 3_000;
/** A turn that is given back has this long to end (TERM, 5 s, KILL) and to say so. */
const LAST_WORDS_MS = 8_000;

interface ActiveTurn {
  job: Job;
  controller: AbortController;
  handBack: AbortController;
  silence: Timer | null; // Gives the turn up when it fires, at `lostAtMs` on the monotonic clock.
  lostAtMs: number;
  /** `ending`: its end is being reported, and the host says whose attempt it was. Of `back` and `lost` the first one stays. */
  state: 'held' | 'ending' | 'back' | 'lost';
}

export type ActiveTurns = ReturnType<typeof createActiveTurns>;

export function createActiveTurns(options: ActiveTurnsOptions) {
  const turns = new Map<ActiveTurn, Promise<void>>();
  const closed = new AbortController();
  const byJob = createKeyedMutex().run;
  let isBeating = false;
  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    while (turns.size > 0 && !closed.signal.aborted)
      await Promise.all([touch(options, turns), sleep(options.effects, TOUCH_MS, closed.signal)]);
    isBeating = false;
  }
  function end(turn: ActiveTurn): void {
    turn.silence?.cancel();
    turns.delete(turn);
    if (turns.size === 0) options.guard.idle();
    options.onOver(turn.job, turn.state === 'back' || turn.state === 'lost' ? turn.state : 'over');
  }
  return {
    /** @param knownAtMs when the queue was asked for the job, on the monotonic clock */
    take(job: Job, knownAtMs: number) {
      const controllers = { controller: new AbortController(), handBack: new AbortController() };
      const turn: ActiveTurn = { job, ...controllers, silence: null, lostAtMs: 0, state: 'held' };
      heardOf(options, turn, knownAtMs);
      // A job that was lost and comes here again waits until its first attempt has ended.
      const ended = byJob(job.id, () => carry(options, turn)).finally(() => end(turn));
      turns.set(turn, ended);
      void beat();
    },
    count: () => turns.size,
    list: () => [...turns.keys()].map(({ job }) => ({ turn: job.turn, attempt: job.attempt })),
    stop({ turn, attempt, reason }: TurnAttempt & { reason: TurnReason }) {
      for (const { job, controller } of turns.keys())
        if (job.turn === turn && job.attempt === attempt) controller.abort(new StopTurn(reason));
    },
    handBack() {
      for (const turn of turns.keys()) letGo(turn, 'back');
    },
    async settled() {
      while (turns.size > 0) await Promise.all(turns.values());
    },
    close: () => closed.abort(),
  };
}

function letGo(turn: ActiveTurn, how: 'back' | 'lost'): void {
  if (turn.state === 'held' || turn.state === 'ending') turn.state = how;
  turn.controller.abort(new StopTurn('interrupted'));
  // Also for a turn that was lost before, which ends then.
  if (how === 'back') turn.handBack.abort();
}

/** The queue got a heartbeat of the turn at `atMs`. */
function heardOf({ effects, guard }: ActiveTurnsOptions, turn: ActiveTurn, atMs: number): void {
  turn.silence?.cancel();
  turn.lostAtMs = atMs + SILENT_MS;
  const leftMs = Math.max(0, turn.lostAtMs - effects.monotonicMs());
  turn.silence = effects.setTimer(leftMs, () => letGo(turn, 'lost'));
  guard.heard();
}

/** Sends a heartbeat, and gives up what the queue gave to others. */
async function touch(options: ActiveTurnsOptions, turns: ReadonlyMap<ActiveTurn, unknown>): Promise<void> {
  const own = [...turns.keys()].filter(({ state }) => state !== 'lost');
  const askedAt = options.effects.monotonicMs();
  // A queue that does not answer is asked again until the turns' time is over.
  const alive = await options.queue.touch(own.map(({ job }) => job)).catch(() => null);
  if (alive === null) return;
  for (const turn of own) {
    // The host completes the job of a turn whose end it hears.
    if (!alive.has(turn.job.id) && turn.state !== 'ending') letGo(turn, 'lost');
    if (alive.has(turn.job.id) && turns.has(turn)) heardOf(options, turn, askedAt);
  }
}

/** Never rejects. */
async function carry(options: ActiveTurnsOptions, turn: ActiveTurn): Promise<void> {
  const { host, effects } = options;
  const { job, controller, handBack } = turn;
  const onTrouble = (error: unknown) => {
    if (!isRoomError(error, 'gone')) options.onTrouble(error);
    if (isRoomError(error, 'bad_input')) options.onRefused();
  };
  const reporter = createReporter({ effects, host, job, onLost: () => letGo(turn, 'lost'), onTrouble });
  const over = new AbortController();
  handBack.signal.addEventListener('abort', () => {
    void sleep(effects, LAST_WORDS_MS, over.signal).then(reporter.close);
  });
  try {
    const claimed = await claim(options, turn);
    if (claimed === null) return;
    options.onBegun(claimed);
    const signals = { signal: controller.signal, handBack: handBack.signal };
    const end = await options.run(claimed, job, reporter, signals);
    // This process stood still, and its guard ended the program without a word.
    if (effects.monotonicMs() >= turn.lostAtMs) letGo(turn, 'lost');
    if (turn.state === 'back') await leave(options, job, reporter);
    if (turn.state !== 'held') return;
    turn.state = 'ending';
    await reporter.report({ kind: 'end', end });
  } catch (error) {
    onTrouble(error);
    // Another worker may succeed.
    if (turn.state !== 'lost') await leave(options, job, reporter);
  } finally {
    over.abort();
    reporter.close();
  }
}

/** Null when there is nothing to run. */
async function claim(on: ActiveTurnsOptions, turn: ActiveTurn): Promise<ClaimedTurn | null> {
  const { host, queue, effects } = on;
  const { job } = turn;
  const { signal } = turn.controller;
  // A host of another version refuses it in the same way for ever.
  const isFinal = (error: unknown) =>
    isRoomError(error) && (error.code === 'bad_input' || NOT_YOURS.includes(error.code));
  const ask = () => host('claim', { turn: job.turn, attempt: job.attempt }, signal);
  try {
    const claimed = await untilItWorks({ effects, signal }, [250, 2_000], ask, (error) => !isFinal(error));
    if (claimed === null && turn.state === 'back') await queue.giveBack(job).catch(() => undefined);
    return claimed;
  } catch (error) {
    if (isRoomError(error, 'bad_input')) throw error;
    // The turn ended before: only its job is left.
    const left = isRoomError(error, 'gone') ? queue.complete(job) : queue.giveBack(job);
    await left.catch(() => undefined);
    return null;
  }
}

async function leave({ queue, effects }: ActiveTurnsOptions, job: Job, reporter: Reporter): Promise<void> {
  const told = reporter.report({ kind: 'left' }).catch(() => undefined);
  await Promise.race([told, sleep(effects, LEAVE_MS)]);
  await Promise.race([queue.giveBack(job).catch(() => undefined), sleep(effects, LEAVE_MS)]);
}
