// The spool of a turn: requests are files that come by rename, are taken by rename, and get an answer by rename before
// they are removed. So a request is on disk until its answer is, and each is carried out in order, whoever dies when.

import { existsSync, type FSWatcher, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import { type Effects, sleep, type Timer } from '../../effects.ts';
import {
  BRIDGE_FILES,
  type BridgeAnswer,
  keyOfRequest,
  MAX_REQUEST_BYTES,
  toWireError,
} from '../../remote/wire.ts';
import {
  cutOff,
  findWork,
  hasAnswer,
  readRequest,
  removeAnswer,
  removeRequest,
  writeAnswer,
} from './spool-files.ts';

export interface SpoolOptions extends Answering {
  line: SerialQueue;
}

/** What `requests` is called once nothing more may come in. */
const CLOSING = 'closing';
/** Watching is a hint; this is the truth, and well below what a caller waits to be taken. */
const LOOK_EVERY_MS = 300;
/** Taken up ahead of being carried out; the others wait where they are. */
const MAX_TAKEN = 500;
/** An answer that nobody fetched for so long is of no use any more. */
const KEEP_ANSWERS_MS = 120_000;

/** Takes up what a runtime before this one left, and watches from now on. */
export function openSpool(options: SpoolOptions) {
  const { dir, effects } = options;
  const closed = new AbortController();
  const work = createSpoolWork(options, closed.signal);
  let watcher: FSWatcher | null = null;
  let timer: Timer | null = null;
  let isAsked = false;

  /** A request is told of several times, with what others do meanwhile: one look is enough for all. */
  function lookSoon(): void {
    if (isAsked) return;
    isAsked = true;
    setImmediate(() => {
      isAsked = false;
      work.look();
    });
  }

  function lookOn(): void {
    work.look();
    timer = effects.setTimer(LOOK_EVERY_MS, lookOn, true);
  }

  try {
    watcher = watch(join(dir, BRIDGE_FILES.requests), { persistent: false }, (_what, name) => {
      if (name === null || keyOfRequest(name) !== null) lookSoon();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // The folder went with its turn, or nothing can be watched here: it is looked at now and then.
  }
  lookOn();
  return {
    /**
     * Lets no more requests in; resolves when all that came before are answered.
     * @throws RoomError `io` when it was closed before
     */
    async drain() {
      watcher?.close();
      work.cutOff();
      while (await work.isBusy())
        if (closed.signal.aborted)
          throw new RoomError('io', 'what the agent reported is not all written yet');
      rmSync(join(dir, CLOSING), { recursive: true, force: true });
    },
    /** Stops; what is not answered yet stays where it is. */
    close() {
      closed.abort();
      watcher?.close();
      timer?.cancel();
    },
  };
}

function createSpoolWork(options: SpoolOptions, closed: AbortSignal) {
  const { dir, effects, line, onTrouble } = options;
  const queue: string[] = [];
  const answered: { key: string; atMs: number }[] = [];
  let source: string = existsSync(join(dir, BRIDGE_FILES.requests)) ? BRIDGE_FILES.requests : CLOSING;
  let carrying: Promise<void> | null = null;

  /** Takes up what was taken and not answered, then what came; carrying it out goes on by itself. */
  function look(): void {
    if (closed.aborted) return;
    try {
      const known = new Set(queue);
      queue.push(...findWork(dir, source, MAX_TAKEN - queue.length).filter((name) => !known.has(name)));
    } catch (error) {
      onTrouble(error);
    }
    if (carrying === null && queue.length > 0) carrying = carryOn();
  }

  async function carryOn(): Promise<void> {
    for (let name = queue[0]; name !== undefined && !closed.aborted; name = queue[0]) {
      const next = name;
      // Between two requests the rest of the runtime gets its moment.
      await new Promise((resolve) => setImmediate(resolve));
      await line.add(() => answerOne(options, next, closed));
      queue.shift();
      answered.push({ key: keyOfRequest(next)!, atMs: effects.now() });
      forgetOld();
    }
    carrying = null;
    look();
  }

  function forgetOld(): void {
    try {
      while (answered[0] !== undefined && answered[0].atMs < effects.now() - KEEP_ANSWERS_MS)
        removeAnswer(dir, answered.shift()!.key);
    } catch (error) {
      onTrouble(error);
    }
  }

  return {
    look,
    cutOff() {
      if (source === BRIDGE_FILES.requests) cutOff(dir, source, CLOSING);
      source = CLOSING;
    },
    /** Takes what there is and waits for its answers; false when there was nothing any more. */
    async isBusy() {
      look();
      if (carrying === null) return false;
      await carrying;
      return true;
    },
  };
}

export interface Answering {
  /** The bridge's folder. */
  dir: string;
  effects: Effects;
  /** Carries one request out; never rejects. */
  carryOut(key: string, text: string): Promise<BridgeAnswer>;
  onTrouble(error: unknown): void;
}

/** Waits between tries. */
const TRY_AGAIN_MS = [250, 500, 1_000, 2_000, 4_000];
const PASSING = new Set(['io', 'locked', 'room_gone']);

/**
 * Answers a request that was taken; one that has its answer already is not carried out again.
 * @param closed aborts when the rest is left to the next runtime
 */
export async function answerOne(answering: Answering, name: string, closed: AbortSignal): Promise<void> {
  const { effects, onTrouble } = answering;
  for (let tries = 0; !closed.aborted; tries += 1) {
    const waitMs = TRY_AGAIN_MS[tries];
    try {
      if (await tryToAnswer(answering, name, waitMs === undefined)) return;
    } catch (error) {
      onTrouble(error);
      if (waitMs === undefined) return;
    }
    await sleep(effects, waitMs!, closed);
  }
}

/** False when only the disk stood in the way, unless this is the last try. */
async function tryToAnswer({ dir, carryOut }: Answering, name: string, isLast: boolean): Promise<boolean> {
  const key = keyOfRequest(name)!;
  const text = hasAnswer(dir, key) ? null : readRequest(dir, name);
  if (text !== null) {
    const answer = text === 'too large' ? tooLarge(key) : await carryOut(key, text);
    if (!answer.ok && PASSING.has(answer.error.code) && !isLast) return false;
    writeAnswer(dir, key, answer);
  }
  removeRequest(dir, name);
  return true;
}

function tooLarge(key: string): BridgeAnswer {
  const error = toWireError(new RoomError('bad_input', `a request has at most ${MAX_REQUEST_BYTES} bytes`));
  return { key, ok: false, error };
}
