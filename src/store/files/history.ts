// history.jsonl: one line a finished task, appended durably, never changed (S6).
import fs from 'node:fs';
import { onDisk } from '../room.ts';

/** A full snapshot of a task at the moment of finishing; `archived_at` is that moment, ISO text. */
export interface HistoryLine {
  archived_at: string;
  id: string;
  name: string;
  status: string;
  task: Readonly<Record<string, unknown>>; // Every fact of the task, keys in snake_case.
  text: string;
}

const CHUNK = 64 * 1024;

/** More is not appended at once: a repeat is looked for in the newest lines alone. */
export const MAX_APPENDED = 50;

/** Appends lines, but those of which the same finish is already there: a crash between the append and its record repeats it.
 * @param entries `mode` is that of the task's file: the history is never more open, since the task's text stands in it
 * @throws RoomError `io` when the disk refuses */
export function appendHistory(path: string, entries: readonly { line: HistoryLine; mode: number | null }[]) {
  const append = () => {
    const there = new Set<string>();
    for (const text of linesFromEnd(path)) if (there.add(finishIn(text)).size >= 4 * MAX_APPENDED) break;
    const fresh = entries.filter(({ line }) => !there.has(finishIn(JSON.stringify(line))));
    if (fresh.length === 0) return;
    const file = fs.openSync(path, 'a+', fresh[0]!.mode ?? 0o666);
    try {
      for (const { mode } of fresh) if (mode !== null) closeTo(file, mode);
      // A crash can leave half a line: it is closed, so that the next line stands alone.
      const size = fs.fstatSync(file).size;
      const tail = Buffer.alloc(1);
      const torn = size > 0 && fs.readSync(file, tail, 0, 1, size - 1) === 1 && tail[0] !== 0x0a;
      const text = fresh.map(({ line }) => `${JSON.stringify(line)}\n`).join('');
      fs.writeFileSync(file, `${torn ? '\n' : ''}${text}`);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  };
  onDisk(path, append, 'append to');
}

/** The time and the task of a finish, as its line begins with them. A line holds a whole file: parsing many takes long. */
const finishIn = (line: string): string => line.slice(0, line.indexOf(',"name":'));

function closeTo(file: number, mode: number): void {
  const own = fs.fstatSync(file).mode & 0o777;
  // Its owner can always add to it.
  const wanted = (own & mode) | (own & 0o600);
  if (wanted !== own) fs.fchmodSync(file, wanted);
}

/** The newest `limit` lines that are wanted, newest first. Reads from the end; a torn line is passed over. */
export function readHistory(path: string, limit: number, wanted?: (line: HistoryLine) => boolean) {
  const lines: HistoryLine[] = [];
  for (const text of linesFromEnd(path)) {
    if (lines.length >= limit) break;
    try {
      const line = JSON.parse(text) as HistoryLine;
      if (wanted?.(line) !== false) lines.push(line);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return lines;
}

function* linesFromEnd(path: string): Generator<string, void, void> {
  if (!fs.existsSync(path)) return;
  const file = fs.openSync(path, 'r');
  try {
    let end = fs.fstatSync(file).size;
    let rest = Buffer.alloc(0);
    while (end > 0) {
      const size = Math.min(CHUNK, end);
      const chunk = Buffer.alloc(size);
      fs.readSync(file, chunk, 0, size, end - size);
      end -= size;
      let block = Buffer.concat([chunk, rest]);
      for (let at = block.lastIndexOf(0x0a); at >= 0; at = block.lastIndexOf(0x0a)) {
        if (at + 1 < block.length) yield block.subarray(at + 1).toString('utf8');
        block = block.subarray(0, at);
      }
      rest = block;
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    fs.closeSync(file);
  }
}
