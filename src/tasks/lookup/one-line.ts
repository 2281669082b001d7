// What an operation takes as one line: a name, a key's value, a label.
import { RoomError } from '../../core/errors.ts';

const SHOWN = 80;

/** The text without the blanks around it. @param most characters. @throws RoomError `bad_input` */
export function oneLine(
  field: string,
  given: string,
  { most = Number.POSITIVE_INFINITY, hint }: { most?: number; hint?: string } = {},
): string {
  const text = given.trim();
  const long = [...text].length;
  const advice = { hint };
  if (/[\p{Cc}\u2028\u2029]/u.test(text) || !text.isWellFormed()) {
    const shown = JSON.stringify(text.toWellFormed().slice(0, SHOWN));
    throw new RoomError('bad_input', `${field}: ${shown} is not one line of text`, advice);
  }
  if (long > most)
    throw new RoomError('bad_input', `${field}: it has ${long} characters, allowed are ${most}`, advice);
  return text;
}
