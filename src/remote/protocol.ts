// The protocol between a turn's program and the runtime: files of the bridge's folder, requests and answers as JSON, and errors
// that keep their code. Without packages: the turn's program loads it each time.
import { appendFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Access } from '../core/config/agent-config.ts';
import { ERROR_CODES, type ErrorCode, hasCode, type Problem, RoomError } from '../core/errors.ts';
import type { OwnStatuses } from '../core/status-words.ts';

/** Names in a bridge's folder. */
export const BRIDGE_FILES = {
  token: 'token',
  /** A {@link BridgeCaller} as JSON. */
  caller: 'caller.json',
  /** Requests wait here, in all that the agent may write; gone once the turn's end is being recorded. */
  requests: 'requests',
  taken: 'taken', // Requests that a runtime took and did not answer yet.
  answers: 'answers',
  refused: 'refused.jsonl', // What was refused for good, one JSON object a line.
} as const;

export const MAX_REQUEST_BYTES = 1024 * 1024;

/** How long a request may lie in the spool until a runtime takes it. */
export const TAKEN_WITHIN_MS = 1_000;

/** Decides which tools a turn's agent is shown; what it may do is decided where requests are carried out. */
export interface BridgeCaller {
  agent: string;
  access: Access;
  task: string | null; // The task of the turn; null for a chore's.
  programs: boolean; // Whether its permissions let it run programs.
  statuses: OwnStatuses; // The room's own.
}

export interface BridgeRequest {
  key: string; // Unique; the same request asked again has the same key.
  token: string;
  op: string; // Name of an operation.
  input: unknown;
}

export type BridgeAnswer =
  | { key: string; ok: true; result: unknown }
  | { key: string; ok: false; error: ErrorRecord };

export interface ErrorRecord {
  code: ErrorCode;
  message: string;
  hint?: string | undefined;
  problems?: Problem[] | undefined;
  retryAfterMs?: number | undefined;
}

const REQUEST_NAME = /^\d{17}-([0-9a-z]{8,40})\.json$/;

/** The name of a request's file: requests are carried out in the order of these. */
export const requestName = (atMs: number, key: string): string =>
  `${String(Math.trunc(atMs * 1000)).padStart(17, '0')}-${key}.json`;

/** The key in the name of a request's file; null for any other name. */
export const keyOfRequest = (name: string): string | null => REQUEST_NAME.exec(name)?.[1] ?? null;

/** The key that a request claims; '' where it says none. */
export function keyIn(text: string): string {
  try {
    const { key } = JSON.parse(text) as { key?: unknown };
    return typeof key === 'string' ? key : '';
  } catch {
    // Refused by whoever carries it out.
    return '';
  }
}

export const answerName = (key: string): string => `${key}.json`;

/** False when the file that `act` works with is not there. */
export function isThere(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

const MAX_RECORD_BYTES = 256 * 1024; // An agent that repeats refused requests does not fill the disk.

export function recordRefused(dir: string, refusal: { at: string; operation: string; message: string }) {
  const path = join(dir, BRIDGE_FILES.refused);
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= MAX_RECORD_BYTES) return;
    if (existsSync(dirname(dir))) mkdirSync(dir, { recursive: true, mode: 0o700 });
    appendFileSync(path, `${JSON.stringify(refusal)}\n`, { mode: 0o600 });
  } catch {
    // The folder may be gone with its turn, or a sandbox lets nothing be written there.
  }
}

/** What can be said of any failure without a stack. */
export function toErrorRecord(error: unknown): ErrorRecord {
  if (!(error instanceof RoomError)) return { code: 'bug', message: String(error) };
  const { code, message, hint, problems, retryAfterMs } = error;
  return { code, message, hint, problems: problems.length === 0 ? undefined : problems, retryAfterMs };
}

/** The same failure on the other side. */
export const fromErrorRecord = ({ code, message, problems = [], ...rest }: ErrorRecord): RoomError =>
  new RoomError(ERROR_CODES.includes(code) ? code : 'bug', message, { problems, ...rest });
