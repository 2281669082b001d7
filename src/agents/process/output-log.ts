// Reads ends of a turn's output.log for people: bounded, and safe to show whatever bytes are in it.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ifThere, OUTPUT_FILE } from './process-identity.ts';

const TAIL_BYTES = 64 * 1024;
const LAST_LINE_CHARS = 200;

/** The last non-empty line of the output, at most 200 characters, without control characters; '' when there is none. */
export async function readLastLine(dir: string): Promise<string> {
  const last = (await readTailLines(dir)).findLast((line) => line.trim() !== '')?.trim() ?? '';
  return cut(messageOfEvent(last) ?? last, LAST_LINE_CHARS);
}

// Agents that print JSON lines say what went wrong in one of a few fields.
function messageOfEvent(line: string): string | null {
  try {
    const event = JSON.parse(line);
    const texts = [event?.result, event?.error?.message, event?.error, event?.message];
    const text: unknown = texts.find((value) => typeof value === 'string' && value.trim() !== '');
    return typeof text === 'string' ? oneLine(text.trim()) : null;
  } catch {
    return null;
  }
}

/** The last lines of the output without trailing empty ones, within `maxChars` together. */
export async function readLastLines(dir: string, maxLines: number, maxChars: number): Promise<string[]> {
  const lines = await readTailLines(dir);
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

/** The last `maxBytes` of a file as text; of one that is not there, ''. */
export async function readTail(path: string, maxBytes: number): Promise<string> {
  const file = await ifThere(open(path));
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(maxBytes, size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

// A carriage return redraws a line on a terminal: what was drawn last counts.
async function readTailLines(dir: string): Promise<string[]> {
  const lines = (await readTail(join(dir, OUTPUT_FILE), TAIL_BYTES)).split(/\r?\n/);
  return lines.map((line) => withoutControls(line.replace(/\r+$/, '').replace(/^.*\r/s, '')));
}

const CONTROLS = /[\0-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Drops terminal escape sequences and control characters, except tabs. */
export function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, '');
}

/** Text without line breaks and control characters. */
export function oneLine(text: string): string {
  return withoutControls(text.replace(/\s*[\r\n]+\s*/g, ' '));
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Never half a surrogate pair.
  return `${text.slice(0, Math.max(0, Math.floor(maxChars) - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}
