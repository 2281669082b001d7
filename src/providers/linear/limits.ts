// The longest texts Linear takes, in UTF-16 units.
import { RoomError } from '../../core/errors.ts';

export const LIMITS = { title: 255, body: 250_000, comment: 250_000 } as const;

/** @throws RoomError `bad_input` when the text is longer */
export function assertLength(what: keyof typeof LIMITS, text: string): void {
  if (text.length <= LIMITS[what]) return;
  throw new RoomError('bad_input', `the ${what} has ${text.length} characters; Linear takes ${LIMITS[what]}`);
}
