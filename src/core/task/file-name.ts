// A person's words for a task → a file name that every file system takes and the scan does not pass over.

/** Longest name in bytes of UTF-8, without `.md`: leaves room for what temp files add. */
export const MAX_NAME_BYTES = 200;

// Direction marks and line separators make two different names look alike, or one look like two lines.
const INVISIBLE = /[\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;
// `/` ends a name everywhere; the others do on Windows, and a room may be cloned there.
const FORBIDDEN = /[/\\:*?"<>|]/g;
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/** The name as a file can have it, without `.md`; null when nothing is left of it. The result is its own safe name. */
export function safeFileName(words: string): string | null {
  const flat = words
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(FORBIDDEN, '-');
  let name = flat.trim();
  while (/\.md$/i.test(name)) name = name.slice(0, -3).trim();
  name = trimEnds(name);
  name = trimEnds(shortenName(name.replace(DEVICE, '$1_'), MAX_NAME_BYTES));
  if (!/[\p{L}\p{N}\p{S}]/u.test(name)) return null;
  // Cutting can bring another ending to light; each round makes the name shorter.
  return name === words ? name : safeFileName(name);
}

function trimEnds(name: string): string {
  return name.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');
}

/** The longest beginning of a name that fits, no character cut in two. */
export function shortenName(name: string, maxBytes: number): string {
  return name.slice(0, new TextEncoder().encodeInto(name, new Uint8Array(Math.max(0, maxBytes))).read);
}
