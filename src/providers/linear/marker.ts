// The idempotency marker at the end of texts, for Linear-shaped servers that take no ids of ours. Linear itself never
// sees one.

const OPENING = '<!-- taskroom:';
const MARKER = /^<!-- taskroom:([0-9a-z]{8,40}) -->\s*$/;

/** The text with the key at its end. */
export function withMarker(text: string, key: string): string {
  return `${text}${text === '' ? '' : '\n\n'}<!-- taskroom:${key} -->`;
}

/** The text without a marker at its end, and the key that one claims. */
export function splitMarker(text: string): { text: string; key: string | null } {
  const start = text.lastIndexOf(OPENING);
  const found = start < 0 ? null : MARKER.exec(text.slice(start));
  return found ? { text: text.slice(0, start).trimEnd(), key: found[1]! } : { text, key: null };
}
