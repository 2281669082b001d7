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
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isPassing, RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import { type Effects, sleep, type Timer } from '../../effects.ts';
import {
  answerName,
  BRIDGE_FILES,
  type BridgeAnswer,
  fromWireError,
  keyOfRequest,
  MAX_REQUEST_BYTES,
  toWireError,
} from '../../remote/wire.ts';

interface SpoolOptions {
  /** The bridge's folder. */
  dir: string;
  effects: Effects;
  /** What the turn's requests are carried out in, one after another. */
  line: SerialQueue;
  /** Carries one request out; never rejects. */
  carryOut(key: string, text: string): Promise<BridgeAnswer>;
  onTrouble(error: unknown): void;
}

const { requests: REQUESTS, taken: TAKEN, answers: ANSWERS } = BRIDGE_FILES;
/** What `requests` is called once nothing more may come in. */
const CLOSING = 'closing';
/** Watching is a hint; this is the truth, and well below what a caller waits to be taken. */
const LOOK_EVERY_MS = 300;
/** Taken up in one look; the others wait for the next. */
const MAX_TAKEN = 500;
/** An answer that nobody fetched for so long is of no use any more. */
const KEEP_ANSWERS_MS = 120_000;

/** Takes up what a runtime before this one left, and watches from now on. */
export function openSpool(options: SpoolOptions) {
  const { dir, effects, onTrouble } = options;
  const closed = new AbortController();
  const answered: Answered[] = [];
  let source: string = existsSync(join(dir, REQUESTS)) ? REQUESTS : CLOSING;
  let carrying: Promise<void> | null = null;
  let timer: Timer | null = null;

  /** Takes up what came; what was taken is carried out from then on. */
  function look(): void {
    if (closed.signal.aborted) return;
    try {
      takeUp(dir, source);
      if (carrying !== null || requestsIn(join(dir, TAKEN)).length === 0) return;
      carrying = carryOn(options, answered, closed.signal)
        .catch(onTrouble)
        .finally(() => {
          carrying = null;
        });
    } catch (error) {
      onTrouble(error);
    }
  }

  function lookOn(): void {
    look();
    timer = effects.setTimer(LOOK_EVERY_MS, lookOn, true);
  }

  const watcher = watchRequests(dir, look);
  lookOn();
  return {
    /**
     * Lets no more requests in; resolves when all that came before are answered.
     * @throws RoomError `io` when it was closed before
     */
    async drain() {
      watcher?.close();
      // One rename decides for every request whether it came in time.
      if (source !== CLOSING) isAbsent(() => renameSync(join(dir, source), join(dir, CLOSING)));
      source = CLOSING;
      for (look(); carrying !== null; look()) await carrying;
      if (closed.signal.aborted) throw new RoomError('io', 'what the agent reported is not all written yet');
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

/** Null where the folder went with its turn, or nothing can be watched: it is looked at now and then. */
function watchRequests(dir: string, look: () => void): FSWatcher | null {
  let isAsked = false;
  // A request is told of several times, with what others do meanwhile: one look is enough for all.
  const lookSoon = async () => {
    if (isAsked) return;
    isAsked = true;
    await nextTurn();
    isAsked = false;
    look();
  };
  try {
    const watcher = watch(join(dir, REQUESTS), { persistent: false }, (_what, name) => {
      if (name === null || keyOfRequest(name) !== null) void lookSoon();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return null;
  }
}

interface Answered {
  path: string;
  atMs: number;
}

/** Carries out what was taken, and what is taken meanwhile. */
async function carryOn(options: SpoolOptions, answered: Answered[], closed: AbortSignal): Promise<void> {
  const { dir, effects, line } = options;
  for (let names = requestsIn(join(dir, TAKEN)); names.length > 0; names = requestsIn(join(dir, TAKEN)))
    for (const name of names) {
      // Between two requests the rest of the runtime gets its moment.
      await nextTurn();
      await line.add(() => answerOne(options, name, closed));
      if (closed.aborted) return;
      answered.push({ path: answerPath(dir, keyOfRequest(name)!), atMs: effects.now() });
      while (answered[0]!.atMs < effects.now() - KEEP_ANSWERS_MS) remove(answered.shift()!.path);
    }
}

/** Waits between tries. */
const TRY_AGAIN_MS = [250, 500, 1_000, 2_000, 4_000];

/**
 * Answers a request that was taken; one that has its answer already is not carried out again.
 * @param closed aborts when the rest is left to the next runtime
 */
async function answerOne(options: SpoolOptions, name: string, closed: AbortSignal): Promise<void> {
  const { effects, onTrouble } = options;
  for (const waitMs of [...TRY_AGAIN_MS, null]) {
    if (closed.aborted) return;
    try {
      if (await tryToAnswer(options, name, waitMs === null)) return;
    } catch (error) {
      onTrouble(error);
    }
    if (waitMs !== null) await sleep(effects, waitMs, closed);
  }
}

/** False when only the disk stood in the way, unless this is the last try. */
async function tryToAnswer({ dir, carryOut }: SpoolOptions, name: string, isLast: boolean): Promise<boolean> {
  const key = keyOfRequest(name)!;
  const text = readRequest(dir, name);
  if (text !== null) {
    const answer = text === 'too large' ? tooLarge(key) : await carryOut(key, text);
    if (!answer.ok && isPassing(fromWireError(answer.error)) && !isLast) return false;
    writeAnswer(dir, key, answer);
  }
  remove(join(dir, TAKEN, name));
  return true;
}

function tooLarge(key: string): BridgeAnswer {
  const error = toWireError(new RoomError('bad_input', `a request has at most ${MAX_REQUEST_BYTES} bytes`));
  return { key, ok: false, error };
}

/** The requests that came in and have no answer, in order: what is left of a turn whose runtime died. */
export function readUnanswered(dir: string): string[] {
  for (const source of [CLOSING, REQUESTS]) takeUp(dir, source);
  return requestsIn(join(dir, TAKEN)).flatMap((name) => {
    const text = readRequest(dir, name);
    return text === null || text === 'too large' ? [] : [text];
  });
}

/** A request that its caller withdrew meanwhile is nobody's any more. */
function takeUp(dir: string, source: string): void {
  const waiting = requestsIn(join(dir, source)).slice(0, MAX_TAKEN);
  if (waiting.length > 0) mkdirSync(join(dir, TAKEN), { recursive: true, mode: 0o700 });
  for (const name of waiting) isAbsent(() => renameSync(join(dir, source, name), join(dir, TAKEN, name)));
}

/** Regular files that are named like requests, in order. */
function requestsIn(folder: string): string[] {
  let names: string[] = [];
  isAbsent(() => {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    names = files.map(({ name }) => name).filter((name) => keyOfRequest(name) !== null);
  });
  return names.sort();
}

/** Null for one that has its answer, and for what is no file: links are not followed, and nothing is waited for. */
function readRequest(dir: string, name: string): string | 'too large' | null {
  if (existsSync(answerPath(dir, keyOfRequest(name)!))) return null;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: number;
  try {
    file = openSync(join(dir, TAKEN, name), flags);
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

const answerPath = (dir: string, key: string) => join(dir, ANSWERS, answerName(key));

function writeAnswer(dir: string, key: string, answer: BridgeAnswer): void {
  const fresh = join(dir, ANSWERS, `.${key}`);
  mkdirSync(join(dir, ANSWERS), { recursive: true, mode: 0o700 });
  writeFileSync(fresh, JSON.stringify(answer), { mode: 0o600 });
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
