// The exit codes of the program: those of errors, and a few others.
import type { ErrorCode } from '../core/errors.ts';

export const OK = 0;
export const TURN_FAILED = 1;
/** `doctor` when something fails. */
export const UNHEALTHY = 6;
export const BUG = 70;
export const INTERRUPTED = 130;

const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  turn_failed: TURN_FAILED,
  bad_input: 2,
  not_found: 3,
  ambiguous: 3,
  not_allowed: 4,
  refused: 4,
  conflict: 4,
  locked: 5,
  invalid_file: 6,
  no_room: 6,
  room_gone: 6,
  io: 6,
  unavailable: 6,
  unauthorized: 6,
  rate_limited: 6,
  gone: 3,
  interrupted: INTERRUPTED,
  bug: BUG,
};

export const exitCodeOf = (code: ErrorCode): number => EXIT_CODES[code];

/** Every exit code with its meaning, for the help and the docs. */
export const EXIT_CODE_MEANINGS: readonly (readonly [number, string])[] = [
  [OK, 'all went well'],
  [TURN_FAILED, 'a turn failed (once, run --wait)'],
  [2, 'the command line or its input is off'],
  [3, 'not found, ambiguous, or gone upstream; status: no daemon runs'],
  [4, 'refused in this state, or not allowed'],
  [5, 'another process holds the room'],
  [6, 'a file, the room, the disk or a tracker is in trouble; doctor: something fails'],
  [BUG, 'a bug of taskroom; the stack is on stderr'],
  [INTERRUPTED, 'interrupted before the end'],
];
