// The one error class of the product and its closed list of codes. Expected outcomes are data;
// a RoomError is a failure a face can explain; anything else that reaches a face is a bug.

/** Each code with the exit code of a command and the status over HTTP. */
export const ERRORS = {
  bad_input: { exit: 2, status: 400 }, // the caller's words are off: unknown option, key, value
  not_found: { exit: 3, status: 404 }, // no such task, turn, agent, file
  ambiguous: { exit: 3, status: 409 }, // a prefix or name that fits more than one
  invalid_file: { exit: 6, status: 422 }, // a task, chore, agent or settings file that can't be read
  conflict: { exit: 4, status: 409 }, // the file or record changed and the edit can't be applied to the new state
  not_allowed: { exit: 4, status: 403 }, // this caller may not do that (an agent reopening a task, …)
  refused: { exit: 4, status: 409 }, // the state forbids it without --force (paused, blocked, draft)
  locked: { exit: 5, status: 423 }, // another daemon or writer holds the room
  no_room: { exit: 6, status: 503 }, // no room here
  room_gone: { exit: 6, status: 503 }, // the room's folder vanished or was moved while in use
  io: { exit: 6, status: 503 }, // the disk said no: full, read-only, permission
  unavailable: { exit: 6, status: 503 }, // something needed is not there now (a program, a service)
  unauthorized: { exit: 6, status: 502 }, // credentials are missing, wrong, or lack a scope
  rate_limited: { exit: 6, status: 429 }, // a tracker's limit: retryAfterMs says for how long
  gone: { exit: 3, status: 410 }, // the issue or comment upstream was deleted, or is no longer visible
  turn_failed: { exit: 1, status: 422 }, // a turn that was waited for failed
  interrupted: { exit: 130, status: 503 }, // stopped by a signal or a shutdown
  bug: { exit: 70, status: 500 }, // what we were about to do would have done harm; nothing was done
} as const;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** A place in a file: lines and columns count from 1, columns in UTF-16 units. */
export interface Problem {
  path: string;
  line: number;
  col: number;
  message: string;
  expected?: string;
  /** How to mend it, when that is known. */
  hint?: string;
}

export type ReadingOf<Found> = ({ ok: true } & Found) | { ok: false; problems: Problem[] };

/** `path:line:col message; expected …; hint` on one line, for a terminal or a log. */
export function formatProblem(problem: Problem): string {
  const parts = [`${problem.path}:${problem.line}:${problem.col} ${problem.message}`];
  if (problem.expected) parts.push(`expected ${problem.expected}`);
  if (problem.hint) parts.push(problem.hint);
  return parts.join('; ');
}

export interface RoomErrorOptions {
  cause?: unknown;
  /** How long to wait before trying again, when that is known. */
  retryAfterMs?: number | undefined;
  problems?: Problem[];
  /** What to do about it, one sentence in the imperative. */
  hint?: string | undefined;
  more?: object;
}

export class RoomError extends Error {
  readonly code: ErrorCode;
  readonly problems: Problem[];
  readonly retryAfterMs: number | undefined;
  readonly hint: string | undefined;
  /** More members of the error's JSON over HTTP. */
  readonly more: object;

  /** @param given the options, or only the hint */
  constructor(code: ErrorCode, message: string, given: RoomErrorOptions | string = {}) {
    const options: RoomErrorOptions = typeof given === 'string' ? { hint: given } : given;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RoomError';
    this.code = code;
    this.problems = options.problems ?? [];
    this.retryAfterMs = options.retryAfterMs;
    this.hint = options.hint;
    this.more = options.more ?? {};
  }
}

export const isRoomError = (error: unknown, code?: ErrorCode): error is RoomError =>
  error instanceof RoomError && (code === undefined || error.code === code);

/** For a `catch`: null for a RoomError of one of these codes; any other error is thrown again. */
export const nullIf =
  (...codes: ErrorCode[]) =>
  (error: unknown): null => {
    if (isRoomError(error) && codes.includes(error.code)) return null;
    throw error;
  };

export function reworded(error: RoomError, message: string, code = error.code): RoomError {
  const { hint, problems, retryAfterMs } = error;
  return new RoomError(code, message, { cause: error, hint, problems, retryAfterMs });
}

/** True when only disk or another process stood in the way: the same may work a moment later. */
export const isPassing = (error: unknown): boolean =>
  isRoomError(error) && ['io', 'locked', 'room_gone'].includes(error.code);

// The refusal of an index that nothing has. It repeats the number as it was given: from 0 in JSON and tools, from 1 on the command line.
type Counted = 'step' | 'resource';

/** @param index from 0. @param has how many there are */
export const noSuchIndex = (what: Counted, index: number, has: number): RoomError =>
  refusal(what, index, has === 0 ? 'the task has none' : `the task has ${has}`, 0);

/** The refusal for a caller who counts from 1; any other error is returned unchanged. */
export function countedFromOne(error: unknown): unknown {
  if (!isRoomError(error, 'not_found')) return error;
  const [, what, index, has] = /^there is no (step|resource) (\d+); (.*)$/.exec(error.message) ?? [];
  return what === undefined ? error : refusal(what as Counted, Number(index) + 1, has!, 1);
}

const refusal = (what: Counted, number: number, has: string, first: 0 | 1): RoomError =>
  new RoomError('not_found', `there is no ${what} ${number}; ${has}`, `${what}s count from ${first}`);

/** What `act` returns, or `otherwise` where it throws, for whatever reason. */
export function valueOr<Result, Else>(otherwise: Else, act: () => Result): Result | Else {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

/** Whether a call of the system failed with one of these codes, such as `ENOENT`. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '');

export const quoteWord = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
