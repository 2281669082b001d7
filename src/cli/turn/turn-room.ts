// The room of a turn's agent: the operations over the spool of the turn's bridge, which passes every sandbox; and the bridge's folder as the
// turn's program finds it, with its secret.
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RoomClient } from '../../app/open-room.ts';
import { RoomError, valueOr } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { type Effects, sleep } from '../../effects.ts';
import { AT_ONCE } from '../../operations/summaries.ts';
import type { BridgeAnswer, BridgeCaller, BridgeRequest } from '../../remote/protocol.ts';
import {
  answerName,
  BRIDGE_FILES,
  fromErrorRecord,
  isThere,
  MAX_REQUEST_BYTES,
  recordRefused,
  requestName,
  TAKEN_WITHIN_MS,
} from '../../remote/protocol.ts';
import { createRemoteClient } from '../../remote/remote-client.ts';

interface Way {
  dir: string;
  effects: Effects;
  isAlone: boolean; // Nobody took the last request, so the next one does not wait for that.
}

const READ_TAKEN_WITHIN_MS = 800; // A read is answered, or fails, within a second.

/** @param dir absolute path of the bridge's folder; its secret is read with each call */
export function openTurnRoom(dir: string, effects: Effects): RoomClient {
  const way: Way = { dir, effects, isAlone: false };
  return {
    tasks: {
      ...createRemoteClient((name, input) => send(way, name, input)),
      statuses: () => readCaller(dir).statuses,
    },
    caller: { kind: 'agent', agent: '', turn: turnOfBridge(dir) as TurnId },
    here: null,
    turn: () => readCaller(dir),
    close: async () => {},
  };
}

export function refuseOutside(): never {
  throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
}

async function send(way: Way, op: string, input: object): Promise<unknown> {
  const { dir } = way;
  const key = newKey();
  const asked: BridgeRequest = { key, token: readSecret(dir, op), op, input };
  const request = JSON.stringify(asked);
  if (Buffer.byteLength(request) > MAX_REQUEST_BYTES)
    throw new RoomError('bad_input', 'that is more than 1 MiB', { hint: 'give a shorter text' });
  const reads = AT_ONCE.includes(op);
  const takenWithinMs = way.isAlone ? 0 : reads ? READ_TAKEN_WITHIN_MS : TAKEN_WITHIN_MS;
  const said = await ask(way, key, request, { stays: !reads, takenWithinMs });
  if (said === 'over') throw overNow(dir, op);
  way.isAlone = said === 'later' || said === 'withdrawn';
  if (said === 'later') return later(input);
  if (said === 'withdrawn')
    throw new RoomError('unavailable', 'nothing runs the room at the moment, so that it can not be asked', {
      hint: `what this turn was given lies in ${join(dir, '..')}: prompt.md and context.json`,
    });
  if (said.ok) return said.result;
  throw fromErrorRecord(said.error);
}

/** The answer for a change that is made when the room runs again. */
function later(input: { ref?: string; title?: string; name?: string }): object {
  const name = input.name ?? input.title ?? input.ref ?? '';
  return { id: null, name, path: '', changed: true, later: true, daemon: false, attic: '' };
}

/** Unique, not secret: the system's random source is slow to load. */
function newKey(): string {
  const now = Math.trunc((performance.timeOrigin + performance.now()) * 1000);
  const chance = Math.trunc(Math.random() * 2 ** 52);
  return `${now.toString(36)}${process.pid.toString(36)}${chance.toString(36)}`.padEnd(20, '0');
}

const FIRST_LOOK_MS = 2;
const LOOK_EVERY_MS = 15;
const ANSWER_WITHIN_MS = 15_000; // A runtime that took the request may have died; the next one answers.

/** Writes a request with one rename, and waits for its answer. It is carried out now or when the room runs again, unless it is
 * withdrawn before. @param stays whether it is left in place when nobody takes it
 * @returns the answer; `later`; `withdrawn`, because nobody took it; or `over`, because the turn has ended */
async function ask(
  { dir, effects }: Way,
  key: string,
  request: string,
  { stays, takenWithinMs }: { stays: boolean; takenWithinMs: number },
): Promise<BridgeAnswer | 'later' | 'withdrawn' | 'over'> {
  const name = requestName(effects.now(), key);
  const requests = join(dir, BRIDGE_FILES.requests);
  const waiting = join(requests, name);
  const answer = join(dir, BRIDGE_FILES.answers, answerName(key));
  const taken = join(dir, BRIDGE_FILES.taken, name);
  if (!putInPlace(requests, name, request)) return 'over';
  const startedAt = effects.monotonicMs();
  for (let restMs = FIRST_LOOK_MS; ; restMs = Math.min(restMs * 2, LOOK_EVERY_MS)) {
    const said = readAnswer(answer);
    if (said !== null) return said;
    const waitedMs = effects.monotonicMs() - startedAt;
    if (waitedMs > takenWithinMs && fs.existsSync(waiting)) {
      if (stays && sync(waiting)) return 'later';
      // It may be taken at this very moment.
      if (!stays && isThere(() => fs.unlinkSync(waiting))) return 'withdrawn';
    }
    if (waitedMs > takenWithinMs + ANSWER_WITHIN_MS)
      return stays && (sync(taken) || sync(waiting)) ? 'later' : (readAnswer(answer) ?? 'withdrawn');
    await sleep(effects, restMs);
  }
}

const SANDBOXED: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** False when the folder is gone: the turn is over. @throws RoomError `not_allowed` when a sandbox denies it */
function putInPlace(folder: string, name: string, text: string): boolean {
  const fresh = join(folder, `.${name}`);
  try {
    fs.writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    fs.renameSync(fresh, join(folder, name));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    const denied = `nothing can be written in ${folder}, where a turn's reports go (${code})`;
    const hint = 'report with your tools of taskroom, or have the sandbox let its programs write there';
    if (SANDBOXED.has(code)) throw new RoomError('not_allowed', denied, { cause: error, hint });
    fs.rmSync(fresh, { force: true });
    throw error;
  }
}

/** Syncs the file and its folder, before the caller is told `later`. False when the file is gone. */
function sync(path: string): boolean {
  return isThere(() => {
    for (const each of [path, dirname(path)]) {
      const file = fs.openSync(each, 'r');
      try {
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
    }
  });
}

function readAnswer(path: string): BridgeAnswer | null {
  let answer: BridgeAnswer | null = null;
  isThere(() => {
    answer = JSON.parse(fs.readFileSync(path, 'utf8'));
  });
  return answer;
}

/** `turns/<id>/bridge`: the turn that a bridge belongs to. */
export const turnOfBridge = (dir: string) => basename(dirname(dir));

/** The room that a bridge belongs to: four folders up. */
export const roomOfBridge = (dir: string) => join(dir, '..', '..', '..', '..');

/** @throws RoomError `not_allowed` when the turn is over, or its secret can't be read */
function readSecret(dir: string, operation: string): string {
  const turn = turnOfBridge(dir);
  try {
    return fs.readFileSync(join(dir, BRIDGE_FILES.token), 'utf8').trim();
  } catch (error) {
    const wasOpen = fs.existsSync(join(dir, BRIDGE_FILES.answers));
    if (wasOpen && !fs.existsSync(join(dir, BRIDGE_FILES.requests))) throw overNow(dir, operation);
    throw new RoomError('not_allowed', `this runs inside turn ${turn}, but its secret can't be read`, {
      cause: error,
      hint: 'nothing inside a turn is taken for the person',
    });
  }
}

/** The turn's agent. @throws RoomError `not_allowed` when that can't be read */
function readCaller(dir: string): BridgeCaller {
  try {
    return JSON.parse(fs.readFileSync(join(dir, BRIDGE_FILES.caller), 'utf8')) as BridgeCaller;
  } catch (error) {
    throw new RoomError('not_allowed', `the bridge of turn ${turnOfBridge(dir)} can't be read`, {
      cause: error,
    });
  }
}

/** The task of the turn; '' for a chore, and for a bridge that can't be read: the first call says so. */
export const taskOfBridge = (dir: string): string => valueOr('', () => readCaller(dir).task ?? '');

/** Records the refusal in the bridge's folder, because the runtime may be gone. */
function overNow(dir: string, operation: string): RoomError {
  const message = `turn ${turnOfBridge(dir)} is over: what it reports now is not taken`;
  recordRefused(dir, { at: new Date().toISOString(), operation, message });
  return new RoomError('not_allowed', message);
}
