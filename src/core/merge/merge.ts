// Three-way merge of task files: the body by lines, the front matter by keys where lines disagree. Nothing that
// `theirs` (the person) typed is dropped, and a merge of readable texts is readable.
import { type ParsedDocument, parseDocument, setKey, type Value } from '../document/document.ts';
import { isRoomError } from '../errors.ts';
import { mergeLines } from './line-merge.ts';

export interface Merge {
  text: string;
  conflicts: Record<'base' | 'ours' | 'theirs', string>[]; // Places that both sides changed.
}

/** Where both changed one place of the body both stand, theirs first; in front matter theirs stands, and keys that only
 * ours changed keep our value. Line ends are those of `theirs`. */
export function mergeThree(base: string, ours: string, theirs: string): Merge {
  if (ours === theirs || ours === base) return { text: theirs, conflicts: [] };
  if (theirs === base) return { text: ours, conflicts: [] };
  const eol = uniformEnd(theirs);
  if (eol === null) return mergeParts(base, ours, theirs);
  const merge = mergeParts(unix(base), unix(ours), unix(theirs));
  return eol === '\n' ? merge : { ...merge, text: merge.text.replaceAll('\n', '\r\n') };
}

/** Null when it mixes line ends. */
function uniformEnd(text: string): '\n' | '\r\n' | null {
  if (!text.includes('\r\n')) return '\n';
  return /(^|[^\r])\n/.test(text) ? null : '\r\n';
}

const unix = (text: string): string => text.replaceAll('\r\n', '\n');

function mergeParts(base: string, ours: string, theirs: string): Merge {
  const [baseDoc, ourDoc, theirDoc] = [base, ours, theirs].map(parse);
  if (!baseDoc || !ourDoc || !theirDoc) return mergeText(base, ours, theirs);
  const body = mergeText(bodyOf(baseDoc), bodyOf(ourDoc), bodyOf(theirDoc));
  const [baseHead, ourHead, theirHead] = [headOf(baseDoc), headOf(ourDoc), headOf(theirDoc)];
  if (ourHead === baseHead || ourHead === theirHead) return { ...body, text: withHead(theirHead, body.text) };
  if (theirHead === baseHead) return { ...body, text: withHead(ourHead, body.text) };
  const head = mergeText(baseHead, ourHead, theirHead);
  if (head.conflicts.length === 0 && parse(head.text + body.text)?.bodyStart === head.text.length)
    return { ...body, text: head.text + body.text };
  const byKey = mergeKeys(baseDoc, ourDoc, theirDoc, withHead(theirHead, body.text));
  return { text: byKey, conflicts: [...head.conflicts, ...body.conflicts] };
}

function parse(text: string): ParsedDocument | null {
  const parsed = parseDocument(text, 'merge');
  return parsed.ok ? parsed.doc : null;
}

const headOf = (doc: ParsedDocument): string => doc.text.slice(0, doc.bodyStart);
const bodyOf = (doc: ParsedDocument): string => doc.text.slice(doc.bodyStart);

function withHead(head: string, body: string): string {
  // Without a head, a `---` that now comes first would be read as one.
  return head.length <= 1 && body.startsWith('---') ? `${head}\n${body}` : head + body;
}

function mergeText(base: string, ours: string, theirs: string): Merge {
  if (ours === base || ours === theirs) return { text: theirs, conflicts: [] };
  if (theirs === base) return { text: ours, conflicts: [] };
  const { lines, conflicts } = mergeLines(base.split('\n'), ours.split('\n'), theirs.split('\n'));
  const flat = conflicts.map((part) => ({
    base: part.base.join('\n'),
    ours: part.ours.join('\n'),
    theirs: part.theirs.join('\n'),
  }));
  return { text: lines.join('\n'), conflicts: flat };
}

/** Sets the keys that ours changed and theirs left alone in `text`, whose front matter is theirs. */
function mergeKeys(base: ParsedDocument, ours: ParsedDocument, theirs: ParsedDocument, text: string): string {
  let merged = text;
  for (const key of Object.keys(ours.data)) {
    if (same(ours, base, key) || !same(theirs, base, key)) continue;
    const value = ours.data[key];
    if (isValue(value)) merged = orSame(merged, () => setKey(merged, key, value));
  }
  return merged;
}

const same = (a: ParsedDocument, b: ParsedDocument, key: string): boolean =>
  JSON.stringify(own(a.data, key)) === JSON.stringify(own(b.data, key));

const own = (data: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(data, key) ? data[key] : undefined;

function isValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function orSame(text: string, edit: () => string): string {
  try {
    return edit();
  } catch (error) {
    // An unreadable text, or a key to be edited by hand (an anchor, a flow map with comments), stays as it is.
    if (isRoomError(error)) return text;
    throw error;
  }
}
