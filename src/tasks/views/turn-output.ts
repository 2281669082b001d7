// Reading a turn's output from a byte offset: no character is cut in two, whoever reads in whatever steps.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import type { Room } from '../../store/room.ts';
import type { RoomHandle } from '../room-handle.ts';

const DEFAULT_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;
const LONGEST_CHAR = 4;
const TURN_ID = /^[a-z][0-9a-z]{8}$/;

/**
 * Reads a turn's output from a byte offset (B3). No character is cut in two: an offset inside one starts after it,
 * and one that is not complete yet is left for the next read while the turn runs.
 * @param limit bytes to read, 4 to 1 MiB; 64 KiB when absent
 * @returns the text, the offset to go on from, and the bytes there are now
 * @throws RoomError `not_found` for an unknown turn, `bad_input` for an offset that is none, `io`
 */
export async function readOutput(
  handle: RoomHandle,
  turn: TurnId,
  offset: number,
  limit = DEFAULT_BYTES,
): Promise<{ text: string; next: number; size: number }> {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new RoomError('bad_input', `${offset} is no offset`, {
      hint: 'give a number of bytes, 0 for the beginning',
    });
  if (!(limit > 0))
    throw new RoomError('bad_input', `${limit} is no number of bytes`, { hint: 'give a positive number' });
  const { turns, jobs } = handle.deps.ledger;
  const record = TURN_ID.test(turn) ? (turns.get(turn) ?? jobs.get(turn)) : null;
  const want = Math.min(MAX_BYTES, Math.max(LONGEST_CHAR, Math.floor(limit)));
  const chunk = TURN_ID.test(turn)
    ? readChunk(join(handle.deps.room.turnsDir, turn, 'output.log'), offset, want)
    : null;
  if (chunk === null) {
    // A turn that has not written yet has no file.
    if (record !== null) return { text: '', next: 0, size: 0 };
    throw new RoomError('not_found', `no turn ${JSON.stringify(turn)}`, { hint: 'see: taskroom turns' });
  }
  const { bytes, before, size } = chunk;
  if (offset >= size) return { text: '', next: size, size };
  const start = restOfChar(before, bytes);
  const atEnd = offset + bytes.length >= size;
  const complete = atEnd && record?.state !== 'running';
  const end = complete ? bytes.length : bytes.length - unfinishedTail(bytes.subarray(start));
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
  return { text, next: offset + Math.max(start, end), size };
}

/** The end of an output, from the beginning of a line on where it is cut; '' where there is none. */
export function tailOfOutput(room: Room, turn: TurnId, maxBytes: number): string {
  const path = join(room.turnsDir, turn, 'output.log');
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const from = Math.max(0, size - maxBytes);
  const text = new TextDecoder().decode(readChunk(path, from, maxBytes)?.bytes ?? new Uint8Array());
  return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
}

interface Chunk {
  bytes: Uint8Array;
  /** Up to three bytes before the offset. */
  before: Uint8Array;
  size: number;
}

function readChunk(path: string, offset: number, want: number): Chunk | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new RoomError('io', `can't read ${path}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check its permissions',
    });
  }
  try {
    const { size } = fstatSync(file);
    const lead = Math.min(LONGEST_CHAR - 1, offset);
    const buffer = Buffer.alloc(offset >= size ? 0 : lead + Math.min(want, size - offset));
    const count = readSync(file, buffer, 0, buffer.length, offset - lead);
    const read = buffer.subarray(0, count);
    return { before: read.subarray(0, lead), bytes: read.subarray(lead), size };
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
  let back = 1;
  while (back < before.length && isContinuation(before[before.length - back])) back += 1;
  const missing = back > before.length ? 0 : lengthFrom(before[before.length - back]!) - back;
  let count = 0;
  while (count < missing && isContinuation(bytes[count])) count += 1;
  return missing > 0 && count === missing ? count : 0;
}

/** How many of the last bytes begin a character that is not complete. */
function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST_CHAR && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (!isContinuation(byte)) return lengthFrom(byte) > back ? back : 0;
  }
  return 0;
}
