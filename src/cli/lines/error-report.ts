// Failures as a person or a script reads them on stderr: what, where, what was expected, what to do.
// A failure that is no RoomError is a bug and shows its stack.
import { formatProblem, isRoomError, type RoomError } from '../../core/errors.ts';
import { BUG, exitCodeOf } from '../exit-codes.ts';
import type { Paint } from '../paint.ts';
import { withDocsFolder } from '../version.ts';
import { cleanText } from './display-text.ts';

export interface ErrorReport {
  text: string;
  exitCode: number;
}

/** The report of anything that was thrown. */
export function reportError(error: unknown, json: boolean, paint: Paint): ErrorReport {
  if (isRoomError(error)) {
    return { text: json ? jsonReport(error) : textReport(error, paint), exitCode: exitCodeOf(error.code) };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const hint = 'please report it with the text above';
  if (json) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      text: `${JSON.stringify({ error: { code: 'bug', message, hint, problems: [], stack } })}\n`,
      exitCode: BUG,
    };
  }
  return {
    text: `${paint('red', 'taskroom:')} this is a bug of taskroom\n${cleanText(stack)}\n  ${hint}\n`,
    exitCode: BUG,
  };
}

function textReport(error: RoomError, paint: Paint): string {
  const lines = [`${paint('red', 'taskroom:')} ${cleanText(error.message)}`];
  for (const problem of error.problems) lines.push(`  ${cleanText(withDocsFolder(formatProblem(problem)))}`);
  if (error.hint) lines.push(`  ${cleanText(withDocsFolder(error.hint))}`);
  return `${lines.join('\n')}\n`;
}

function jsonReport({ code, message, hint, problems }: RoomError): string {
  return `${JSON.stringify({ error: { code, message, hint: hint === undefined ? null : withDocsFolder(hint), problems } })}\n`;
}
