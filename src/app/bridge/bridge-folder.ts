// turns/<id>/bridge/: the folder over which a turn's programs report, with their secret and the spool. It is made before the agent starts, and
// only the room's own user may enter it; a sandbox lets the agent write `requests` alone. A program renames its request into it; the
// runtime moves it to `taken`, carries it out, renames an answer into `answers` and then removes the request. So a request is on disk
// until its answer is, and requests are carried out in order, whoever dies when. The files are small and local: synchronous calls cost
// less than Node's pool of threads.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TurnMcpServer, TurnReach } from '../../agents/runner.ts';
import { isPassing, RoomError } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { createSerialQueue, type SerialQueue } from '../../core/keyed-mutex.ts';
import { type Effects, sleep, type Timer } from '../../effects.ts';
import {
  answerName,
  BRIDGE_FILES,
  type BridgeAnswer,
  type BridgeCaller,
  fromErrorRecord,
  isThere,
  keyOfRequest,
  MAX_REQUEST_BYTES,
  toErrorRecord,
} from '../../remote/protocol.ts';
import type { Send } from '../../remote/remote-client.ts';
import { onDisk } from '../../store/room.ts';

interface SpoolOptions {
  dir: string; // Absolute path of the bridge's folder.
  effects: Effects;
  line: SerialQueue; // All requests of the turn run in it, one after another.
  /** Carries out a request of a program; never rejects. */
  handle(key: string, text: string): Promise<BridgeAnswer>;
  onTrouble(error: unknown): void;
}

interface BridgeFolder extends Omit<SpoolOptions, 'line'> {
  turn: TurnId;
  caller: BridgeCaller;
  secret: string | null; // Null where the folder holds one already.
  hasSpool: boolean; // Whether programs on this machine report; else no folder is made.
  send: Send; // Carries out a tool call of the turn's own model.
}

const { token: TOKEN, caller: CALLER, requests: REQUESTS, taken: TAKEN, answers: ANSWERS } = BRIDGE_FILES;

/** @throws RoomError `io` */
export function openBridgeFolder({ send, hasSpool, ...folder }: BridgeFolder) {
  const { dir, turn, caller, secret } = folder;
  if (hasSpool)
    onDisk(dir, () => {
      for (const name of ['', TAKEN, ANSWERS, ...(secret === null ? [] : [REQUESTS])])
        fs.mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
      fs.writeFileSync(join(dir, CALLER), `${JSON.stringify(caller)}\n`, { mode: 0o600 });
      if (secret !== null) fs.writeFileSync(join(dir, TOKEN), `${secret}\n`, { mode: 0o600 });
    });
  const line = createSerialQueue();
  return {
    reach: turnReach(dir),
    /** Programs start their servers with few variables, so an argument names the bridge. */
    mcp: {
      command: process.execPath,
      args: [MCP_PROGRAM, '--bridge', dir, 'mcp'],
      env: {},
    } satisfies TurnMcpServer,
    async tools() {
      const { toolsOfTurn } = await import('../agents/agent-tools.ts');
      return toolsOfTurn(caller, turn, (op, input) => line.add(() => send(op, input)));
    },
    line,
    spool: hasSpool ? openSpool({ ...folder, line }, secret !== null) : null,
  };
}

/** Whether requests are still let in: when the turn is over the folder is renamed. */
export const takesRequests = (dir: string) => fs.existsSync(join(dir, REQUESTS));
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The secret in the folder; null where none is. */
export function keptSecret(dir: string): string | null {
  const path = join(dir, TOKEN);
  return fs.existsSync(path) ? onDisk(path, () => fs.readFileSync(path, 'utf8').trim()) : null;
}

export const forgetSecret = (dir: string) => fs.rmSync(join(dir, TOKEN), { force: true });

// The programs lie in the package, where no agent may write. The bundle lies one folder below the package's root of code, this file two.
const isSource = import.meta.url.endsWith('.ts');
const PROGRAMS = new URL(isSource ? '../../bin/' : '../bin/', import.meta.url);
const MCP_PROGRAM = fileURLToPath(new URL(isSource ? 'bin-turn.ts' : 'bin-turn.cjs', PROGRAMS));
/** Absolute path of the `taskroom` of turns; it stands alone in its folder. */
export const TURN_PROGRAM = fileURLToPath(new URL('turn-path/taskroom', PROGRAMS));

export const turnReach = (dir: string): TurnReach => ({
  dir,
  spool: join(dir, REQUESTS),
  program: TURN_PROGRAM,
});

const CLOSING = 'closing'; // The name of `requests` once nothing more may come in.
/** Watching may miss a request; this does not, well within the time that a caller waits. */
const LOOK_EVERY_MS = 300;
const MAX_TAKEN = 500; // Taken in one look; the others wait for the next.
const KEEP_ANSWERS_MS = 120_000; // An answer that nobody fetched for so long is removed.

/** Takes up the requests that a runtime before this one left, and watches from now on. @param isNew nobody can have asked yet */
function openSpool(options: SpoolOptions, isNew: boolean) {
  const { dir, effects, onTrouble } = options;
  const closed = new AbortController();
  const answered: Answered[] = [];
  let source: string = fs.existsSync(join(dir, REQUESTS)) ? REQUESTS : CLOSING;
  let answering: Promise<void> | null = null;
  let timer: Timer | null = null;

  function look(): void {
    if (closed.signal.aborted) return;
    timer?.cancel();
    timer = effects.setTimer(LOOK_EVERY_MS, look, true);
    try {
      takeFrom(dir, source);
      if (answering !== null || requestsIn(join(dir, TAKEN)).length === 0) return;
      answering = answerTaken(options, answered, closed.signal)
        .catch(onTrouble)
        .finally(() => {
          answering = null;
        });
    } catch (error) {
      onTrouble(error);
    }
  }

  const watcher = watchRequests(dir, look);
  if (isNew) timer = effects.setTimer(LOOK_EVERY_MS, look, true);
  else look();
  return {
    /** Lets no more requests in; resolves when all that came before are answered. @throws RoomError `io` when the spool was closed before */
    async drain() {
      watcher?.close();
      // One rename decides for every request whether it came in time.
      if (source !== CLOSING) isThere(() => fs.renameSync(join(dir, source), join(dir, CLOSING)));
      source = CLOSING;
      for (look(); answering !== null; look()) await answering;
      if (closed.signal.aborted) throw new RoomError('io', 'what the agent reported is not all written yet');
      fs.rmSync(join(dir, CLOSING), { recursive: true, force: true });
    },
    /** Stops; requests without an answer stay where they are. */
    close() {
      closed.abort();
      watcher?.close();
      timer?.cancel();
    },
  };
}

/** Null where the folder is gone with its turn, or can't be watched. */
function watchRequests(dir: string, look: () => void): fs.FSWatcher | null {
  let isAsked = false;
  // One request causes several events; one look is enough for all of them.
  const lookSoon = async () => {
    if (isAsked) return;
    isAsked = true;
    await nextTurn();
    isAsked = false;
    look();
  };
  try {
    const watcher = fs.watch(join(dir, REQUESTS), { persistent: false }, (_event, name) => {
      if (name === null || keyOfRequest(name) !== null) void lookSoon();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return null;
  }
}

type Answered = { path: string; atMs: number };

/** Answers the taken requests, and those that are taken meanwhile. */
async function answerTaken(options: SpoolOptions, answered: Answered[], closed: AbortSignal): Promise<void> {
  const { dir, effects, line } = options;
  for (let names = requestsIn(join(dir, TAKEN)); names.length > 0; names = requestsIn(join(dir, TAKEN)))
    for (const name of names) {
      // The rest of the runtime runs between two requests.
      await nextTurn();
      await line.add(() => answerOne(options, name, closed));
      if (closed.aborted) return;
      answered.push({ path: answerPath(dir, keyOfRequest(name)!), atMs: effects.now() });
      while (answered[0]!.atMs < effects.now() - KEEP_ANSWERS_MS) remove(answered.shift()!.path);
    }
}

const TRY_AGAIN_MS = [250, 500, 1_000, 2_000, 4_000];

/** Answers one taken request; one that has its answer is not carried out again. While only the disk is in the way it is tried again.
 * @param closed aborts when the rest is left to the next runtime */
async function answerOne(options: SpoolOptions, name: string, closed: AbortSignal): Promise<void> {
  const { dir, effects, handle, onTrouble } = options;
  const key = keyOfRequest(name)!;
  for (const waitMs of [...TRY_AGAIN_MS, null]) {
    if (closed.aborted) return;
    try {
      const text = readRequest(dir, name);
      const answer = typeof text === 'string' ? await handle(key, text) : refused(key, text);
      const mayPass = answer?.ok === false && isPassing(fromErrorRecord(answer.error));
      if (!mayPass || waitMs === null) {
        if (answer !== null) writeAnswer(dir, key, answer);
        remove(join(dir, TAKEN, name));
        if (mayPass && text instanceof RoomError) onTrouble(text);
        return;
      }
    } catch (error) {
      onTrouble(error);
    }
    if (waitMs !== null) await sleep(effects, waitMs, closed);
  }
}

const refused = (key: string, why: RoomError | null): BridgeAnswer | null =>
  why && { key, ok: false, error: toErrorRecord(why) };

/** The requests that came in and have no answer, in order: they are left of a turn whose runtime died. */
export function readUnanswered(dir: string): string[] {
  for (const source of [CLOSING, REQUESTS]) takeFrom(dir, source);
  return requestsIn(join(dir, TAKEN))
    .map((name) => readRequest(dir, name))
    .filter((text) => typeof text === 'string');
}

/** Passes over a request that its caller withdrew meanwhile. */
function takeFrom(dir: string, source: string): void {
  const waiting = requestsIn(join(dir, source)).slice(0, MAX_TAKEN);
  if (waiting.length > 0) fs.mkdirSync(join(dir, TAKEN), { recursive: true, mode: 0o700 });
  for (const name of waiting) isThere(() => fs.renameSync(join(dir, source, name), join(dir, TAKEN, name)));
}

/** Names of the regular files that are named like requests, in order. */
function requestsIn(folder: string): string[] {
  let names: string[] = [];
  isThere(() => {
    const files = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    names = files.map(({ name }) => name).filter((name) => keyOfRequest(name) !== null);
  });
  return names.sort();
}

/** Null for a request that has its answer, and for what is no file: links are not followed, and a pipe is not waited for. */
function readRequest(dir: string, name: string): string | RoomError | null {
  if (fs.existsSync(answerPath(dir, keyOfRequest(name)!))) return null;
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
  let file: number | null = null;
  try {
    file = fs.openSync(join(dir, TAKEN, name), flags);
    if (fs.fstatSync(file).size <= MAX_REQUEST_BYTES) return fs.readFileSync(file, 'utf8');
    return new RoomError('bad_input', `a request has at most ${MAX_REQUEST_BYTES} bytes`);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes(code)) return null;
    return new RoomError('io', `the request ${name} can't be read: ${message}`, { cause: error });
  } finally {
    if (file !== null) fs.closeSync(file);
  }
}

const answerPath = (dir: string, key: string) => join(dir, ANSWERS, answerName(key));

function writeAnswer(dir: string, key: string, answer: BridgeAnswer): void {
  const fresh = join(dir, ANSWERS, `.${key}`);
  fs.mkdirSync(join(dir, ANSWERS), { recursive: true, mode: 0o700 });
  fs.writeFileSync(fresh, JSON.stringify(answer), { mode: 0o600 });
  fs.renameSync(fresh, answerPath(dir, key));
}

const remove = (path: string) => isThere(() => fs.unlinkSync(path));
