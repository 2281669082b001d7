// Errors on stderr, for a person or a script. An error that is no RoomError is a bug and shows its stack.
import { formatProblem, isRoomError, type RoomError } from '../../core/errors.ts';
import { BUG, exitCodeOf } from '../exit-codes.ts';
import type { Paint } from '../paint.ts';
import { withDocsFolder } from '../version.ts';
import { cleanText } from './display-text.ts';

export function reportError(error: unknown, json: boolean, paint: Paint): { text: string; exitCode: number } {
  if (isRoomError(error))
    return { text: (json ? jsonReport : textReport)(error, paint), exitCode: exitCodeOf(error.code) };
  const { message, stack = message } = error instanceof Error ? error : { message: String(error) };
  const hint = 'please report it with the text above';
  const asJson = `${JSON.stringify({ error: { code: 'bug', message, hint, problems: [], stack } })}\n`;
  const asText = `${paint('red', 'taskroom:')} this is a bug of taskroom\n${cleanText(stack)}\n  ${hint}\n`;
  return { text: json ? asJson : asText, exitCode: BUG };
}

function textReport(error: RoomError, paint: Paint): string {
  const lines = [`${paint('red', 'taskroom:')} ${cleanText(error.message)}`];
  for (const problem of error.problems) lines.push(`  ${cleanText(withDocsFolder(formatProblem(problem)))}`);
  if (error.hint) lines.push(`  ${cleanText(withDocsFolder(error.hint))}`);
  return `${lines.join('\n')}\n`;
}

const jsonReport = ({ code, message, hint, problems }: RoomError): string =>
  `${JSON.stringify({ error: { code, message, hint: hint === undefined ? null : withDocsFolder(hint), problems } })}\n`;
