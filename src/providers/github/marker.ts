// The idempotency marker: an HTML comment at the very end of what we write, so that a try whose answer was lost is found
// again. It is believed only in our own account's words; in anybody else's it is text like any other. And what texts GitHub
// takes beside it.

const MARKER = /(?:(?:\r?\n){1,2}|^)<!-- taskroom:([0-9a-z]{8,40}) -->\s*$/;

/** What a marker takes of a body at most: two line ends, the longest key and what stands around it. */
const MARKER_LENGTH = 64;

/** GitHub counts characters; UTF-16 units are never fewer. */
export const LIMITS = { title: 256, body: 65_536 - MARKER_LENGTH, comment: 65_536 - MARKER_LENGTH };

/** A browser sends other line ends, and nobody sees those at the end. */
export function normalise(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd();
}

export function withMarker(body: string, key: string): string {
  const marker = `<!-- taskroom:${key} -->`;
  return body === '' ? marker : `${body}\n\n${marker}`;
}

export function splitMarker(text: string): { body: string; key: string | null } {
  const found = MARKER.exec(text);
  return found ? { body: text.slice(0, found.index), key: found[1]! } : { body: text, key: null };
}
