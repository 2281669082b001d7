// Reads ends of a turn's output.log for people, bounded and safe to show whatever bytes are in it; and the outcome of a turn by the end of
// its process: state by reason, one line for a person.
import { open } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { valueOr } from '../../core/errors.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import { type Outcome, outcomeFor, stopReason } from '../runner.ts';
import { ifThere, OUTPUT_FILE } from './process-identity.ts';
import type { ProcessEnd } from './run-process.ts';

const TAIL_BYTES = 64 * 1024;
const LAST_LINE_CHARS = 200;

/** The last non-empty line of the output, at most 200 characters, without control characters; '' when there is none. */
export async function readLastLine(dir: string): Promise<string> {
  const last = (await readTailLines(dir)).findLast((line) => line.trim() !== '')?.trim() ?? '';
  return cut(messageOfEvent(last) ?? last, LAST_LINE_CHARS);
}

// Agents that print JSON lines say what went wrong in one of a few fields.
function messageOfEvent(line: string): string | null {
  const event = valueOr(null, () => JSON.parse(line));
  const texts: unknown[] = [event?.result, event?.error?.message, event?.error, event?.message];
  const text = texts.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? oneLine(text.trim()) : null;
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
export const withoutControls = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, '');

export const oneLine = (text: string): string => withoutControls(text.replace(/\s*[\r\n]+\s*/g, ' '));

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Never half a surrogate pair.
  return `${text.slice(0, Math.max(0, Math.floor(maxChars) - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}

const STOPPED: Partial<Record<TurnReason, string>> = {
  timed_out: 'stopped: it took longer than its timeout',
  stalled: 'stopped: it printed nothing for too long',
  output_limit: 'stopped: it printed more than the limit',
  rate_limited: 'stopped: the usage limit was reached',
  budget: 'stopped: a budget was used up',
  interrupted: 'stopped together with the runtime',
  person: 'killed by a person',
  paused: 'stopped: the task was paused or blocked',
  canceled: 'stopped: the task was canceled',
  done: 'stopped: the task was done',
};

export const failure = (reason: 'exit' | 'refused' | 'not_started', message: string): Outcome =>
  outcomeFor(reason, oneLine(message));

export function stoppedOutcome(signal: AbortSignal): Outcome {
  const reason = stopReason(signal);
  return outcomeFor(reason, STOPPED[reason] ?? `stopped: ${reason}`);
}

/** The outcome of a turn whose program is its work. @param dir the turn's folder: its output's last line explains a failure */
export async function toOutcome(end: ProcessEnd, dir: string): Promise<Outcome> {
  const reason = end.how === 'exited' && end.code === 0 ? 'ok' : end.reason;
  const signal = signalOf(end.code);
  const rest = end.survivors.length > 0 ? `; could not be ended: pid ${end.survivors.join(', ')}` : '';
  const message = oneLine((await describe(end, dir)) + rest);
  return { ...outcomeFor(reason, message), exitCode: end.code, signal };
}

async function describe(end: ProcessEnd, dir: string): Promise<string> {
  if (end.how === 'unstarted') return end.message;
  if (end.how === 'lost') return 'the process vanished without recording how it ended';
  if (end.how === 'stopped') return STOPPED[end.reason] ?? `stopped: ${end.reason}`;
  if (end.code === 0) return '';
  const signal = signalOf(end.code);
  const what = signal ? `ended by ${signal} (exit code ${end.code})` : `exit code ${end.code}`;
  const line = await readLastLine(dir);
  return line ? `${what}: ${line}` : what;
}

/** The signal a shell's exit code tells of: 128 + n, or null. */
export function signalOf(code: number | null): string | null {
  if (code === null || code <= 128) return null;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null;
}
