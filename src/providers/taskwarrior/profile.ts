// What a Taskwarrior database can hold and write.
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import { RoomError } from '../../core/errors.ts';
import type { Profile } from '../provider.ts';

/** Taskwarrior has no limits of its own: these keep one text from filling the database. */
const LIMITS = { title: 1000, body: 250_000, comment: 65_536 };

/** @param silent fields the source never speaks of */
export function createProfile(silent: readonly Field[]): Profile {
  return {
    limits: LIMITS,
    writable: FIELDS.filter((field) => !silent.includes(field)),
    normalise,
    classOf: (status) => status,
    trustedRoles: [],
    remote: false,
  };
}

/** The data file of 2.6 writes brackets as `&open;` and `&close;`, and reads a typed one as a bracket. */
function normalise(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('&open;', '[')
    .replaceAll('&close;', ']')
    .replaceAll('\0', '\ufffd')
    .toWellFormed();
}

/** @throws RoomError `bad_input` for a longer text */
export function assertLength(what: keyof typeof LIMITS, text: string | undefined): void {
  if (text === undefined || text.length <= LIMITS[what]) return;
  throw new RoomError('bad_input', `the ${what} has ${text.length} characters, ${LIMITS[what]} at most`);
}
