// The exit codes of the program: those of errors, and a few others.
import { ERRORS, type ErrorCode } from '../core/errors.ts';

export const OK = 0;
export const TURN_FAILED = ERRORS.turn_failed.exit;
/** `doctor` when something fails. */
export const UNHEALTHY = 6;
export const BUG = ERRORS.bug.exit;
export const INTERRUPTED = ERRORS.interrupted.exit;
export const exitCodeOf = (code: ErrorCode): number => ERRORS[code].exit;

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
