// Reads ends of a turn's output.log for people: bounded, and safe to show whatever bytes are in it.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { OUTPUT_FILE } from './wrapper.ts';

const TAIL_BYTES = 64 * 1024;
const LAST_LINE_CHARS = 200;

/** The last non-empty line of the output, at most 200 characters, without control characters; '' when there is none. */
export async function readLastLine(dir: string): Promise<string> {
  const lines = cleanLines(await readTail(dir)).filter((line) => line.trim() !== '');
  const last = lines.at(-1)?.trim() ?? '';
  return cut(messageOfEvent(last) ?? last, LAST_LINE_CHARS);
}

// Agents that print JSON lines say what went wrong in one of a few fields.
function messageOfEvent(line: string): string | null {
  try {
    const event = JSON.parse(line) as {
      result?: unknown;
      message?: unknown;
      error?: { message?: unknown };
    } | null;
    const texts = [event?.result, event?.error?.message, event?.error, event?.message];
    const text = texts.find((value) => typeof value === 'string' && value.trim() !== '') as
      | string
      | undefined;
    return text === undefined ? null : withoutControls(text.trim().replace(/\s*[\r\n]+\s*/g, ' '));
  } catch {
    return null;
  }
}

/** The last lines of the output without trailing empty ones, within `maxChars` together. */
export async function readLastLines(dir: string, maxLines: number, maxChars: number): Promise<string[]> {
  const lines = cleanLines(await readTail(dir));
  while (lines.at(-1)?.trim() === '') lines.pop();
  const kept: string[] = [];
  let room = maxChars;
  for (const line of lines.slice(-maxLines).reverse()) {
    const short = cut(line, Math.min(room, maxChars / 4));
    room -= short.length + 1;
    if (room < 0) break;
    kept.unshift(short);
  }
  return kept;
}

/** The first and the last `maxBytes` of the output as two texts; equal when it is not longer than that. */
export async function readEnds(dir: string, maxBytes: number): Promise<{ head: string; tail: string }> {
  return withLog(dir, async (file, size) => ({
    head: await readAt(file, 0, Math.min(maxBytes, size)),
    tail: await readAt(file, Math.max(0, size - maxBytes), Math.min(maxBytes, size)),
  }));
}

async function readTail(dir: string): Promise<string> {
  return (await readEnds(dir, TAIL_BYTES)).tail;
}

async function withLog<T>(dir: string, use: (file: FileHandle, size: number) => Promise<T>): Promise<T> {
  const file = await open(join(dir, OUTPUT_FILE), 'a+');
  try {
    return await use(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}

// A carriage return redraws a line on a terminal: what was drawn last counts.
function cleanLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => withoutControls(line.replace(/\r+$/, '').replace(/^.*\r/s, '')));
}

const CONTROLS = /[\0-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Drops terminal escape sequences and control characters, except tabs. */
export function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, '');
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Never half a surrogate pair.
  return `${text.slice(0, Math.max(0, Math.floor(maxChars) - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}
