// What a GitHub source can hold and write.
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import { RoomError } from '../../core/errors.ts';
import type { Profile, SourceConfig } from '../provider.ts';
import { MARKER_LENGTH } from './marker.ts';
import { classOf } from './to-remote-task.ts';

/** GitHub counts characters; UTF-16 units are never fewer. Our own marker needs its place. */
const LIMITS = { title: 256, body: 65_536 - MARKER_LENGTH, comment: 65_536 - MARKER_LENGTH };
const HAS_NONE_OF: readonly Field[] = ['priority', 'due'];

export function createProfile({ fields }: SourceConfig): Profile {
  const isAsked = (field: Field) => fields === null || fields.includes(field);
  return {
    limits: LIMITS,
    writable: FIELDS.filter((field) => isAsked(field) && !HAS_NONE_OF.includes(field)),
    normalise,
    classOf,
    trustedRoles: ['owner', 'member', 'collaborator'],
    remote: true,
  };
}

/** A browser sends other line ends, and nobody sees those at the end. */
export function normalise(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd();
}

/** @throws RoomError `bad_input` for a text GitHub would refuse */
export function assertText(what: keyof typeof LIMITS, text: string | undefined): void {
  if (text === undefined || text.length <= LIMITS[what]) return;
  const message = `the ${what} has ${text.length} characters, GitHub takes ${LIMITS[what]}`;
  throw new RoomError('bad_input', message);
}
