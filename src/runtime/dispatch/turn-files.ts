// What workers send of a turn's files, in the turn's folder here: its output, appended from the byte the host has, and
// what came too late, kept beside it without effect.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { onDisk } from '../../store/room.ts';

const OUTPUT = 'output.log';
const LATE = 'late.jsonl';
/** A record, not a log: a worker that reports for ever does not fill the disk. */
const MAX_LATE_BYTES = 1024 * 1024;

/**
 * Appends what is new in a piece of output.
 * @returns the size of the output now
 * @throws RoomError `io`
 */
export function appendOutput(dir: string, offset: number, data: Uint8Array): number {
  return appendAt(join(dir, OUTPUT), offset, data);
}

/** Where the branch lies that a worker sent of its attempt: it is nothing but a file until the worker reports of it. */
export function branchFile(dir: string, attempt: number, worker: string): string {
  return join(dir, `branch.${attempt}.${worker}.bundle`);
}

/** Bytes of all the branches that workers sent of a turn. */
export function sentBytes(dir: string): number {
  const sent = readdirSync(dir).filter((name) => /^branch\..*\.bundle$/.test(name));
  return sent.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
}

/**
 * Appends what is new in a piece of a file.
 * @returns the size of the file now
 * @throws RoomError `io`
 */
export function appendAt(path: string, offset: number, data: Uint8Array): number {
  return onDisk(path, () => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // What lies before was not sent yet, or the piece was applied before.
    if (offset > size || offset + data.length <= size) return size;
    try {
      appendFileSync(path, data.subarray(size - offset), { mode: 0o600 });
    } catch (error) {
      // Half a piece would be in the way of the whole.
      if (existsSync(path)) truncateSync(path, size);
      throw error;
    }
    return offset + data.length;
  });
}

/** A piece of a file from a byte on. @throws RoomError `io` */
export function readAt(path: string, offset: number, most: number): { size: number; data: Buffer } {
  return onDisk(path, () => {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(most);
      const { size } = fstatSync(file);
      return { size, data: buffer.subarray(0, readSync(file, buffer, 0, most, offset)) };
    } finally {
      closeSync(file);
    }
  });
}

/** A worker begins the turn anew: what the one before printed is kept beside. */
export function setOutputAside(dir: string, attempt: number): void {
  const path = join(dir, OUTPUT);
  if (existsSync(path)) renameSync(path, join(dir, `output.${attempt}.log`));
}

/** Keeps a report of an attempt that somebody else took over. */
export function keepLate(dir: string, report: object): void {
  const path = join(dir, LATE);
  if (!existsSync(dir) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LATE_BYTES) return;
  appendFileSync(path, `${JSON.stringify(report)}\n`, { mode: 0o600 });
}
