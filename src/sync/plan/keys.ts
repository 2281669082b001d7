// Hashes that sync compares texts by, and the keys that make a write upstream happen once.
import { hash } from 'node:crypto';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';

/** Hash of a text, line ends and final blank lines not counting: 24 of `[0-9a-z]`. */
export const hashOf = (text: string): string => digest([normaliseForeign(text).replace(/\n+$/, '')]);

function digest(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return BigInt(`0x${hash('sha256', text)}`)
    .toString(36)
    .padStart(50, '0')
    .slice(-24);
}

/** Keys have 20 characters: as many as stand in an id of Linear's form and can be read back from it. */
const keyOf = (parts: readonly string[]): string => digest(parts).slice(-20);

/** Of the issue a local task is published as: the same for every try, in every copy of the room. */
export const createKey = (provider: string, source: string, task: string): string =>
  keyOf(['create', provider, source, task]);

/**
 * Of a comment of ours.
 * @param room its own id: another room on the same issue has comments of its own
 * @param uid of the issue
 * @param what id of the entry, or `#progress`, `#outcome` with its ordinal
 */
export const commentKey = (room: string, uid: string, what: string, ordinal = 0): string =>
  keyOf(['comment', room, uid, what, String(ordinal)]);

/** The id of the entry that shows a remote comment, or an answer that it gives. */
export const entryOf = (provider: string, id: string): string => `${provider}:${id}`;
