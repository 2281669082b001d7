// Names of files: the human-facing one of a task (T4), and that of a document it comes from. Loads no parser: lists use it.

// The word under `remote:` of a mirrored task: the tracker's name, and what it calls the task.
const REMOTE = /^([a-z][a-z0-9_-]*):(?!\/\/)(.+)$/s;

/** What `remote:` is to look like, for messages. */
export const REMOTE_EXAMPLES = 'github:acme/web#12 or linear:ENG-42';

/** @returns null for a word that names no tracker */
export function providerOfRemote(word: string): string | null {
  const provider = REMOTE.exec(word.trim().replace(/^task:/, ''))?.[1];
  return provider === undefined || provider === 'local' ? null : provider;
}

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

const trimEnds = (name: string): string => name.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');

/** The longest beginning of a name that fits, no character cut in two. */
export const shortenName = (name: string, maxBytes: number): string =>
  name.slice(0, new TextEncoder().encodeInto(name, new Uint8Array(Math.max(0, maxBytes))).read);

// Decides which of two files with the same id is the original when the ledger does not know: the one with the plain name.
const BEFORE = /^(?:copy|kopie|copie|copia|cópia|kopia|kopi) (?:\(\d+\) )?(?:of|von|de|van|di|av|af) $/i;
// What programs put behind a name: " (1)", " copy", "-copy", ".sync-conflict-…", "_BACKUP_12".
const BEHIND = /^[\s(._~-]/;

/** True when `name` is `plain` with something put before or behind it, as programs name copies. */
export function isCopyName(name: string, plain: string): boolean {
  if (plain === '' || name.length <= plain.length) return false;
  if (name.startsWith(plain)) return BEHIND.test(name.slice(plain.length));
  return name.endsWith(plain) && BEFORE.test(name.slice(0, -plain.length));
}

type NamedFile = { name: string; mtimeMs: number };

/** True when `a` is the original rather than `b`: it has the plain name or, where neither has, it is older. */
export const isOriginal = (a: NamedFile, b: NamedFile): boolean =>
  isCopyName(b.name, a.name) || (!isCopyName(a.name, b.name) && a.mtimeMs < b.mtimeMs);

/** What people read of a task: its title as written, else the name of its file. */
export const shownName = ({ title, name }: Titled) => title ?? name;

type Titled = { title?: string | null | undefined; name: string };

/** The title of a task that has one beside its name, as answers have it. */
export const titleBeside = ({ title, name }: Titled) => (title == null || title === name ? {} : { title });

export const namedIfAny = (task: Titled | null) =>
  task === null ? { name: null } : { name: task.name, ...titleBeside(task) };

export function nameOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.endsWith('.md') ? name.slice(0, -3) : name;
}

/** The artifact that `artifact:` of a task names: by its file's name, with or without folder and `.md`. */
export const artifactNameOf = (written: string): string =>
  nameOfPath(written.trim().replace(/^(?:\.\/)?artifacts\//, ''));

/** Negative where `a` comes first. Numbers in names compare by their value, all else by its characters. */
export function compareNames(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // A number that both begin before the difference is compared whole.
  let start = at;
  while (start > 0 && isDigit(a, start - 1)) start -= 1;
  const [first, second] = [endOfDigits(a, at), endOfDigits(b, at)];
  if (first > start && second > start) {
    const [one, other] = [withoutZeros(a, start, first), withoutZeros(b, start, second)];
    if (one.length !== other.length) return one.length - other.length;
    if (one !== other) return one < other ? -1 : 1;
    const rest = compareNames(a.slice(first), b.slice(second));
    if (rest !== 0) return rest;
  }
  return a < b ? -1 : Number(a > b);
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (isDigit(text, end)) end += 1;
  return end;
}

/** The digits that count; the last one of a 0. */
function withoutZeros(text: string, from: number, end: number): string {
  let at = from;
  while (at < end - 1 && text[at] === '0') at += 1;
  return text.slice(at, end);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
