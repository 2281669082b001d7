// Reading a turn's output from a byte offset. No character is cut in two, however large the steps are.
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { sleep } from '../../effects.ts';
import { onDisk, type Room } from '../../store/room.ts';
import { type Actor, isAgent, type RoomHandle } from '../task-room.ts';

const DEFAULT_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;
const LONGEST_CHAR = 4;
const TURN_ID = /^[a-z][0-9a-z]{8}$/;
const LOOK_EVERY_MS = 100;
/** Longest a caller is kept waiting, seconds; an agent asks again, since other requests of its turn come between. */
const MAX_WAIT = 600;
const MAX_WAIT_OF_AGENT = 2;

/** `wait`: seconds. */
export type OutputWish = { offset?: number; limit?: number; wait?: number };

/** Calls `look` again and again until it has an answer, which it must have when `isLast`. */
export async function lookUntil<T>(
  { effects }: RoomHandle,
  wait: number,
  actor: Actor,
  look: (isLast: boolean) => Promise<T | null>,
): Promise<T> {
  const until = effects.monotonicMs() + Math.min(wait, isAgent(actor) ? MAX_WAIT_OF_AGENT : MAX_WAIT) * 1_000;
  for (;;) {
    const left = until - effects.monotonicMs();
    const found = await look(left <= 0);
    if (found !== null) return found;
    await sleep(effects, Math.min(LOOK_EVERY_MS, left));
  }
}

/** Reads a turn's output from a byte offset (B3). An offset inside a character starts after it, and a character that is not
 * complete yet is left for the next read while the turn runs.
 * @throws RoomError `not_found` for an unknown turn, `bad_input` for an offset that is none, `io` */
export async function readOutput(deps: RoomHandle, turn: TurnId, offset: number, limit = DEFAULT_BYTES) {
  const { ledger, room } = deps;
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new RoomError('bad_input', `${offset} is no offset`, 'give a number of bytes, 0 for the beginning');
  if (!(limit > 0))
    throw new RoomError('bad_input', `${limit} is no number of bytes`, 'give a positive number');
  const isId = TURN_ID.test(turn);
  const record = isId ? (ledger.turns.get(turn) ?? ledger.jobs.get(turn)) : null;
  const want = Math.min(MAX_BYTES, Math.max(LONGEST_CHAR, Math.floor(limit)));
  const chunk = isId ? readChunk(outputPath(room, turn), offset, want) : null;
  if (chunk === null) {
    // A turn that has not written yet has no file.
    if (record !== null) return { text: '', next: 0, size: 0 };
    throw new RoomError('not_found', `no turn ${JSON.stringify(turn)}`, 'see: taskroom turns');
  }
  const { bytes, before, size } = chunk;
  if (offset >= size) return { text: '', next: size, size };
  const start = restOfChar(before, bytes);
  const isComplete = offset + bytes.length >= size && record?.state !== 'running';
  const end = isComplete ? bytes.length : bytes.length - unfinishedTail(bytes.subarray(start));
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
  return { text, next: offset + Math.max(start, end), size };
}

/** The end of an output, from the beginning of a line on where it is cut; '' where there is none. */
export function tailOfOutput(room: Room, turn: TurnId, maxBytes: number): string {
  const path = outputPath(room, turn);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const from = Math.max(0, size - maxBytes);
  const text = new TextDecoder().decode(readChunk(path, from, maxBytes)?.bytes ?? new Uint8Array());
  return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
}

const outputPath = ({ turnsDir }: Room, turn: TurnId): string => join(turnsDir, turn, 'output.log');

/** With up to three bytes `before` the offset; null where there is no file. */
function readChunk(path: string, offset: number, want: number) {
  if (!existsSync(path)) return null;
  const file = onDisk(path, () => openSync(path, 'r'), 'read');
  try {
    const { size } = fstatSync(file);
    const lead = Math.min(LONGEST_CHAR - 1, offset);
    const buffer = Buffer.alloc(offset >= size ? 0 : lead + Math.min(want, size - offset));
    const count = readSync(file, buffer, 0, buffer.length, offset - lead);
    return { before: buffer.subarray(0, Math.min(lead, count)), bytes: buffer.subarray(lead, count), size };
  } finally {
    closeSync(file);
  }
}

function lengthFrom(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** How many of the first bytes belong to a character that began before. */
function restOfChar(before: Uint8Array, bytes: Uint8Array): number {
  const missing = unfinishedTail(before, true);
  let count = 0;
  while (count < missing && isContinuation(bytes[count])) count += 1;
  return count === missing ? count : 0;
}

/** How many of the last bytes begin a character that is not complete; with `missing` how many of it are missing. */
function unfinishedTail(bytes: Uint8Array, missing = false): number {
  for (let back = 1; back < LONGEST_CHAR && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const lacks = Math.max(0, lengthFrom(byte) - back);
    return missing || lacks === 0 ? lacks : back;
  }
  return 0;
}
