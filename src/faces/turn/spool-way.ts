// The way to the room that passes every sandbox: a request is a file, put in place by one rename, and so is its answer.
// A request that was put in place is carried out, now or when the room runs again, unless it is withdrawn before.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { answerName, BRIDGE_FILES, type BridgeAnswer, requestName } from '../../remote/wire.ts';

/** What became of a request: answered; left to be carried out later; or withdrawn, since nobody is there. */
export type Spooled = BridgeAnswer | 'later' | 'withdrawn' | 'over';

export interface SpoolWay {
  /**
   * @param request as JSON
   * @param stays whether it is left where it is when nobody takes it
   * @param takenWithinMs how long to wait for somebody to take it
   */
  ask(key: string, request: string, stays: boolean, takenWithinMs: number): Promise<Spooled>;
}

const FIRST_LOOK_MS = 2;
const LOOK_EVERY_MS = 15;
/** Taken, and still not answered: its runtime may have died, and the next one answers. */
const ANSWER_WITHIN_MS = 15_000;

export function createSpoolWay(dir: string, effects: Effects): SpoolWay {
  return {
    async ask(key, request, stays, takenWithinMs) {
      const name = requestName(effects.now(), key);
      const waiting = join(dir, BRIDGE_FILES.requests, name);
      const answer = join(dir, BRIDGE_FILES.answers, answerName(key));
      const taken = join(dir, BRIDGE_FILES.taken, name);
      if (!putInPlace(join(dir, BRIDGE_FILES.requests), name, request)) return 'over';
      const startedAt = effects.monotonicMs();
      for (let restMs = FIRST_LOOK_MS; ; restMs = Math.min(restMs * 2, LOOK_EVERY_MS)) {
        const said = readAnswer(answer);
        if (said !== null) return said;
        const waitedMs = effects.monotonicMs() - startedAt;
        if (waitedMs > takenWithinMs && existsSync(waiting)) {
          if (stays && sync(waiting)) return 'later';
          if (!stays && withdraw(waiting)) return 'withdrawn';
        }
        if (waitedMs > takenWithinMs + ANSWER_WITHIN_MS)
          return stays && (sync(taken) || sync(waiting)) ? 'later' : (readAnswer(answer) ?? 'withdrawn');
        await sleep(effects, restMs);
      }
    },
  };
}

const SANDBOXED: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** False when the folder is gone: the turn is over. @throws RoomError `not_allowed` where a sandbox denies it */
function putInPlace(folder: string, name: string, text: string): boolean {
  const fresh = join(folder, `.${name}`);
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    renameSync(fresh, join(folder, name));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (SANDBOXED.has(code))
      throw new RoomError(
        'not_allowed',
        `nothing can be written in ${folder}, where a turn's reports go (${code})`,
        {
          cause: error,
          hint: 'report with your tools of taskroom, or have the sandbox let its programs write there',
        },
      );
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Before anybody is told that it will be done: text and name are on disk. False when the file is not there any more. */
function sync(path: string): boolean {
  try {
    for (const each of [path, dirname(path)]) {
      const file = openSync(each, 'r');
      try {
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function readAnswer(path: string): BridgeAnswer | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as BridgeAnswer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** False when it was taken at this moment. */
function withdraw(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
