// What a stale buffer dropped when it was saved over a write of ours, and putting it back where it stood.
// Only entries and the id come back; everything the person's text says stands as it is.
import { parseDocument, setKey } from '../document/document.ts';
import { isRoomError } from '../errors.ts';
import { editBody } from '../task/body/body-edit.ts';
import { appendToSection, readSections, type SectionName } from '../task/body/sections.ts';
import { mergeThree } from './merge.ts';
import { keyOfLine } from './written-steps.ts';

export interface WrittenEntry {
  section: SectionName;
  /** Exactly what was appended, without a final line end. */
  block: string;
  /** The text before that write, where it is still known: says where the entry stood. */
  base: string | null;
}

/** Those of `entries` (oldest first) that `text` does not hold any more. */
export function missingEntries<E extends { block: string }>(text: string, entries: readonly E[]): E[] {
  const lines = new Map<string, number>();
  for (const line of text.split('\n')) {
    const key = keyOfLine(line.replace(/\r$/, ''));
    lines.set(key, (lines.get(key) ?? 0) + 1);
  }
  const missing = entries.filter((entry) => {
    const marker = markerOf(entry.block);
    if (marker) return !text.includes(marker);
    const first = keyOfLine(firstLine(entry.block));
    const left = lines.get(first) ?? 0;
    // Entries with the same first line are told apart by their number alone.
    if (left > 0) lines.set(first, left - 1);
    return left === 0;
  });
  return missing.filter(
    ({ block }) => markerOf(block) !== null || isStep(block) || !takeReworded(firstLine(block), lines),
  );
}

function firstLine(block: string): string {
  return (/^[^\r\n]*/.exec(block) as RegExpExecArray)[0];
}

const isStep = (block: string): boolean => keyOfLine(firstLine(block)) !== firstLine(block);

function markerOf(block: string): string | null {
  return /<!-- [cqa]:\S+(?: q:\S+)? -->/.exec(firstLine(block))?.[0] ?? null;
}

/**
 * True when a line has the entry's time stamp and most of its words: the person mended a typo, nothing was lost.
 * The line is used up, so that it stands for one entry alone.
 */
function takeReworded(first: string, lines: Map<string, number>): boolean {
  const split = first.indexOf(' · ');
  if (split < 0) return false;
  const stamp = first.slice(0, split + 3);
  const words = first.slice(stamp.length);
  for (const [line, left] of lines) {
    if (left <= 0 || !line.startsWith(stamp) || !alike(line.slice(stamp.length), words)) continue;
    lines.set(line, left - 1);
    return true;
  }
  return false;
}

function alike(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return (head + tail) * 2 > Math.max(a.length, b.length);
}

/** The id in a text's front matter: null when it has none, false when the text can't be read. */
export function idOf(text: string): string | null | false {
  const parsed = parseDocument(text, 'task');
  if (!parsed.ok) return false;
  if (!Object.hasOwn(parsed.doc.data, 'id')) return null;
  const value = parsed.doc.data.id;
  return parsed.doc.sources.id || (value === null || value === undefined ? null : String(value));
}

/**
 * True when `text` is a later version of the file that had `id` and was made from `base`, rather than another
 * file at the same path: it says that id, or says none and still has half of the lines of `base`.
 */
export function descendsFrom(text: string, id: string | null, base: string | null): boolean {
  const said = idOf(text);
  if (said === false) return false;
  if (said !== null) return said === id;
  if (base === null) return false;
  const kept = new Set(text.split(/\r?\n/));
  const lines = new Set(base.split(/\r?\n/).filter((line) => line.trim() !== '' && line !== '---'));
  let held = 0;
  for (const line of lines) if (kept.has(line)) held += 1;
  return held * 2 >= lines.size;
}

// Finding its place takes a merge of the whole text an entry: with more the end of the section will do.
const ONE_BY_ONE = 12;

/**
 * Puts `lost` entries (oldest first) and a lost `id` back into a text.
 * @returns the text, and for each entry whether it stands there now; unreadable texts stay as they are
 */
export function restoreLost(
  text: string,
  lost: readonly WrittenEntry[],
  id: string | null = null,
): { text: string; restored: boolean[]; idRestored: boolean } {
  let restoredText = text;
  const idRestored = id !== null && idOf(text) === null;
  if (idRestored) restoredText = orSame(text, () => setKey(text, 'id', id));
  if (lost.length > ONE_BY_ONE || (lost.length > 1 && lost.every((entry) => entry.base === null))) {
    const after = orSame(restoredText, () => appendEntries(restoredText, lost));
    return {
      text: after,
      restored: lost.map(() => after !== restoredText),
      idRestored: idRestored && idOf(after) === id,
    };
  }
  const restored = ofOneWrite(lost).flatMap((entries) => {
    const before = restoredText;
    const { section, base } = entries[0]!;
    const entry = { section, base, block: joinBlocks(section, entries) };
    restoredText =
      placedByBase(before, entry) ?? orSame(before, () => appendEntry(before, section, entry.block));
    return entries.map(() => restoredText !== before);
  });
  return { text: restoredText, restored, idRestored: idRestored && idOf(restoredText) === id };
}

/**
 * Appends `block` to a section of a whole document.
 * @throws RoomError `invalid_file` when the front matter can't be read
 */
export function appendEntry(text: string, section: SectionName, block: string, path = 'task'): string {
  return editBody(text, path, (body, offset) => appendToSection(body, section, block, offset));
}

/**
 * Appends entries at the end of their sections, in the order given.
 * @throws RoomError `invalid_file` when the front matter can't be read
 */
export function appendEntries(
  text: string,
  lost: readonly Pick<WrittenEntry, 'section' | 'block'>[],
): string {
  let after = text;
  for (const section of new Set(lost.map((entry) => entry.section))) {
    const entries = lost.filter((entry) => entry.section === section);
    after = appendEntry(after, section, joinBlocks(section, entries));
  }
  return after;
}

function joinBlocks(section: SectionName, entries: readonly Pick<WrittenEntry, 'block'>[]): string {
  const gap = section === 'Progress' || section === 'Steps' ? '\n' : '\n\n';
  return entries.map(({ block }) => block).join(gap);
}

/** Entries that one write put into one section stay together: merged one by one, their lines would mix. */
function ofOneWrite(lost: readonly WrittenEntry[]): WrittenEntry[][] {
  const groups: WrittenEntry[][] = [];
  for (const entry of lost) {
    const first = groups.at(-1)?.[0];
    const isSame = entry.base !== null && first?.base === entry.base && first.section === entry.section;
    if (isSame) groups.at(-1)!.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** The text with the entry where it stood in the version it was written into; null when that place is gone. */
function placedByBase(text: string, entry: WrittenEntry): string | null {
  if (entry.base === null) return null;
  const { base, section, block } = entry;
  const ours = orSame(base, () => appendEntry(base, section, block));
  if (ours === base) return null;
  const merged = mergeThree(base, ours, text).text;
  return holdsIntact(merged, section, block) && keepsLines(merged, text) ? merged : null;
}

function holdsIntact(text: string, section: SectionName, block: string): boolean {
  const parsed = parseDocument(text, 'task');
  if (!parsed.ok) return false;
  const body = text.slice(parsed.doc.bodyStart);
  const wanted = `\n${block.replaceAll('\r\n', '\n')}\n`;
  return readSections(body).sections.some((part) => {
    if (part.name !== section) return false;
    return `\n${body.slice(part.contentStart, part.end).replaceAll('\r\n', '\n')}\n`.includes(wanted);
  });
}

/** True when every line of `text` stands in `merged`, in the same order. */
function keepsLines(merged: string, text: string): boolean {
  const lines = merged.split(/\r?\n/);
  let at = 0;
  for (const line of text.split(/\r?\n/)) {
    while (at < lines.length && lines[at] !== line) at += 1;
    if (at === lines.length) return false;
    at += 1;
  }
  return true;
}

function orSame(text: string, edit: () => string): string {
  try {
    return edit();
  } catch (error) {
    // An unreadable text, or a key that must be edited by hand: it stays as the person left it.
    if (isRoomError(error)) return text;
    throw error;
  }
}
