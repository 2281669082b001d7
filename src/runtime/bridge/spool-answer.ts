// One request of a spool, from its file to the file of its answer. What the disk refuses is tried again for some seconds,
// since whoever wrote it may not be there any more to ask again.
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import {
  answerName,
  BRIDGE_FILES,
  type BridgeAnswer,
  keyOfRequest,
  MAX_REQUEST_BYTES,
  toWireError,
} from '../../remote/wire.ts';
import { type AnswerFile, exists, readRequest, unlessAbsent, writeAnswer } from './spool-files.ts';

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
export async function answerOne(
  { dir, effects, carryOut, onTrouble }: Answering,
  name: string,
  closed: AbortSignal,
  answered: AnswerFile[],
): Promise<void> {
  const path = join(dir, BRIDGE_FILES.taken, name);
  const key = keyOfRequest(name)!;
  const answer = join(dir, BRIDGE_FILES.answers, answerName(key));
  for (let tries = 0; !closed.aborted; tries += 1) {
    const isLast = tries >= TRY_AGAIN_MS.length;
    try {
      if (!(await exists(answer))) {
        const said = await carryOutFile(path, key, carryOut);
        const passes = said !== null && !said.ok && PASSING.has(said.error.code) && !isLast;
        if (passes) {
          await sleep(effects, TRY_AGAIN_MS[tries]!, closed);
          continue;
        }
        if (said !== null) await writeAnswer(dir, answer, said);
        answered.push({ name: answerName(key), atMs: effects.now() });
      }
      await unlink(path).catch(unlessAbsent);
      return;
    } catch (error) {
      onTrouble(error);
      if (isLast) return;
      await sleep(effects, TRY_AGAIN_MS[tries]!, closed);
    }
  }
}

/** Null for what is no file to be read. */
async function carryOutFile(
  path: string,
  key: string,
  carryOut: Answering['carryOut'],
): Promise<BridgeAnswer | null> {
  const text = await readRequest(path);
  if (text === null) return null;
  if (text !== 'too large') return carryOut(key, text);
  const error = toWireError(new RoomError('bad_input', `a request has at most ${MAX_REQUEST_BYTES} bytes`));
  return { key, ok: false, error };
}
