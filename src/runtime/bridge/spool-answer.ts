// One request of a spool, from its file to the file of its answer. What the disk refuses is tried again for some seconds,
// since whoever wrote it may not be there any more to ask again.
import { RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { type BridgeAnswer, keyOfRequest, MAX_REQUEST_BYTES, toWireError } from '../../remote/wire.ts';
import { hasAnswer, readRequest, removeRequest, writeAnswer } from './spool-files.ts';

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
