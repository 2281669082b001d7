// The spool of a turn: requests are files that come by rename, are taken by rename, and get an answer by rename before
// they are removed. So a request is on disk until its answer is, and each is carried out in order, whoever dies when.
// The files are small and local: done at once they cost less than a way through Node's pool of threads.
import {
  closeSync,
  constants,
  existsSync,
  type FSWatcher,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import { type Effects, sleep, type Timer } from '../../effects.ts';
import {
  answerName,
  BRIDGE_FILES,
  type BridgeAnswer,
  keyOfRequest,
  MAX_REQUEST_BYTES,
  toWireError,
} from '../../remote/wire.ts';

export interface SpoolOptions {
  /** The bridge's folder. */
  dir: string;
  effects: Effects;
  /** What the turn's requests are carried out in, one after another. */
  line: SerialQueue;
  /** Carries one request out; never rejects. */
  carryOut(key: string, text: string): Promise<BridgeAnswer>;
  onTrouble(error: unknown): void;
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
  const answered: Answered[] = [];
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
      forgetOld(options, answered);
    }
    carrying = null;
    look();
  }

  return {
    look,
    /** Lets nothing more in: one rename decides for every request whether it came in time. */
    cutOff() {
      if (source !== CLOSING) isAbsent(() => renameSync(join(dir, source), join(dir, CLOSING)));
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

interface Answered {
  key: string;
  atMs: number;
}

function forgetOld({ dir, effects, onTrouble }: SpoolOptions, answered: Answered[]): void {
  try {
    for (const { key } of answered.filter(({ atMs }) => atMs < effects.now() - KEEP_ANSWERS_MS)) {
      answered.shift();
      remove(answerPath(dir, key));
    }
  } catch (error) {
    onTrouble(error);
  }
}

/** Waits between tries. */
const TRY_AGAIN_MS = [250, 500, 1_000, 2_000, 4_000];
const PASSING = new Set(['io', 'locked', 'room_gone']);

/**
 * Answers a request that was taken; one that has its answer already is not carried out again.
 * @param closed aborts when the rest is left to the next runtime
 */
async function answerOne(options: SpoolOptions, name: string, closed: AbortSignal): Promise<void> {
  const { effects, onTrouble } = options;
  for (let tries = 0; !closed.aborted; tries += 1) {
    const waitMs = TRY_AGAIN_MS[tries];
    try {
      if (await tryToAnswer(options, name, waitMs === undefined)) return;
    } catch (error) {
      onTrouble(error);
      if (waitMs === undefined) return;
    }
    await sleep(effects, waitMs!, closed);
  }
}

/** False when only the disk stood in the way, unless this is the last try. */
async function tryToAnswer({ dir, carryOut }: SpoolOptions, name: string, isLast: boolean): Promise<boolean> {
  const key = keyOfRequest(name)!;
  const text = hasAnswer(dir, key) ? null : readRequest(dir, name);
  if (text !== null) {
    const answer = text === 'too large' ? tooLarge(key) : await carryOut(key, text);
    if (!answer.ok && PASSING.has(answer.error.code) && !isLast) return false;
    writeAnswer(dir, key, answer);
  }
  remove(join(dir, BRIDGE_FILES.taken, name));
  return true;
}

function tooLarge(key: string): BridgeAnswer {
  const error = toWireError(new RoomError('bad_input', `a request has at most ${MAX_REQUEST_BYTES} bytes`));
  return { key, ok: false, error };
}

/**
 * Takes requests up, and names all that are to be carried out, in order: first what was taken before, also by a runtime that ended at that
 * moment. A request that its caller withdrew meanwhile is nobody's any more.
 */
export function findWork(dir: string, source: string, most: number): string[] {
  const taken = join(dir, BRIDGE_FILES.taken);
  const before = requestsIn(taken);
  const waiting = most <= 0 ? [] : requestsIn(join(dir, source)).slice(0, most);
  if (waiting.length > 0) mkdirSync(taken, { recursive: true, mode: 0o700 });
  const take = (name: string) => !isAbsent(() => renameSync(join(dir, source, name), join(taken, name)));
  return [...before, ...waiting.filter(take)];
}

/** Regular files that are named like requests, in order. */
function requestsIn(folder: string): string[] {
  const names: string[] = [];
  isAbsent(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile() && keyOfRequest(entry.name) !== null) names.push(entry.name);
  });
  return names.sort();
}

/** Links are not followed, and nothing that is not a file is waited for; null for what is none. */
export function readRequest(dir: string, name: string): string | 'too large' | null {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: number;
  try {
    file = openSync(join(dir, BRIDGE_FILES.taken, name), flags);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    throw error;
  }
  try {
    return fstatSync(file).size > MAX_REQUEST_BYTES ? 'too large' : readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

const answerPath = (dir: string, key: string) => join(dir, BRIDGE_FILES.answers, answerName(key));

export function hasAnswer(dir: string, key: string): boolean {
  return existsSync(answerPath(dir, key));
}

function writeAnswer(dir: string, key: string, answer: BridgeAnswer): void {
  const folder = join(dir, BRIDGE_FILES.answers);
  const fresh = join(folder, `.${key}`);
  const write = (): void => writeFileSync(fresh, JSON.stringify(answer), { mode: 0o600 });
  if (isAbsent(write)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    write();
  }
  renameSync(fresh, answerPath(dir, key));
}

const remove = (path: string) => isAbsent(() => unlinkSync(path));

/** True when what `act` is about is not there. */
function isAbsent(act: () => void): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return true;
    throw error;
  }
}
