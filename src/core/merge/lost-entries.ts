// Puts back what a stale buffer dropped when it was saved over a write of ours: entries and the id. All else stays as
// the person's text says.
import { parseDocument, setKey } from '../document/document.ts';
import { sharedEnds } from '../document/edits.ts';
import { editBody } from '../task/body/body-edit.ts';
import { appendToSection, readSections, type SectionName } from '../task/body/sections.ts';
import { readSteps, STEP_LINK } from '../task/body/steps.ts';
import { orSame } from './merge.ts';

// `- [x] title`
const STEP_LINE = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]+(.*)$/;

/** A step's title without box, marker and link; any other line as it is. */
function keyOfLine(line: string): string {
  const title = STEP_LINE.exec(line)?.[1];
  return title === undefined ? line : `[] ${title.trim().replace(STEP_LINK, '').trimEnd()}`;
}

/** Steps that an edit added or changed (of `known`). None where it removed some: a stale buffer has the old ones there. */
export function writtenSteps(before: string, after: string, known: readonly string[]): string[] {
  const left = countSteps(before);
  const fresh = countSteps(after);
  for (const [key, count] of left) fresh.set(key, (fresh.get(key) ?? 0) - count);
  const counts = [...fresh.values()];
  if (counts.some((count) => count < 0)) return [];
  if (known.length === 0 && counts.every((count) => count === 0)) return [];
  const knownKeys = new Set(known.map(keyOfBlock));
  const isWritten = (block: string) => {
    const key = keyOfBlock(block);
    const count = fresh.get(key) ?? 0;
    fresh.set(key, count - 1);
    return count > 0 || (knownKeys.has(key) && !known.includes(block));
  };
  // New ones are added after those of the same title.
  return blocksOf(after).reverse().filter(isWritten).reverse();
}

export const keyOfBlock = (block: string): string => keyOfLine(firstLine(block));

function countSteps(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) {
    const key = keyOfLine(line);
    if (key !== line) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function blocksOf(text: string): string[] {
  const parsed = parseDocument(text, 'task');
  if (!parsed.ok) return [];
  const body = text.slice(parsed.doc.bodyStart);
  return readSteps(body).map(({ start, end }) => body.slice(start, end).replaceAll('\r\n', '\n'));
}

/** The entries (oldest first) that `text` no longer holds. */
export function missingEntries<E extends { block: string }>(text: string, entries: readonly E[]): E[] {
  const lines = new Map<string, number>();
  for (const line of text.split('\n')) {
    const key = keyOfLine(line.replace(/\r$/, ''));
    lines.set(key, (lines.get(key) ?? 0) + 1);
  }
  const missing = entries.filter((entry) => {
    const marker = markerOf(entry.block);
    if (marker) return !text.includes(marker);
    const first = keyOfBlock(entry.block);
    const left = lines.get(first) ?? 0;
    // Only their number tells entries with the same first line apart.
    if (left > 0) lines.set(first, left - 1);
    return left === 0;
  });
  return missing.filter(
    ({ block }) => markerOf(block) !== null || isStep(block) || !takeReworded(firstLine(block), lines),
  );
}

const firstLine = (block: string): string => (/^[^\r\n]*/.exec(block) as RegExpExecArray)[0];
const isStep = (block: string): boolean => keyOfBlock(block) !== firstLine(block);

export const markerOf = (block: string) =>
  /<!-- [cqa]:\S+(?: q:\S+)? -->/.exec(firstLine(block))?.[0] ?? null;

/** True when a line has the entry's time and most of its words: the person mended a typo. That line counts for one entry. */
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
  const { head, tail } = sharedEnds(a, b);
  return (head + tail) * 2 > Math.max(a.length, b.length);
}

/** Null without an id, false when the text can't be read. */
export function idOf(text: string): string | null | false {
  const parsed = parseDocument(text, 'task');
  if (!parsed.ok) return false;
  if (!Object.hasOwn(parsed.doc.data, 'id')) return null;
  const value = parsed.doc.data.id;
  return parsed.doc.sources.id || (value === null || value === undefined ? null : String(value));
}

/** True when `text` is a later version of the file with `id` that was made from `base`, not another file at its path: it
 * has that id, or none and half of the lines of `base`. */
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

/** Each comes back at the end of its section. @param lost oldest first. @returns for each entry whether it stands there now; unreadable
 * texts stay as they are */
export function restoreLost(text: string, lost: readonly PlacedEntry[], id: string | null = null) {
  const takesId = id !== null && idOf(text) === null;
  const withId = takesId ? orSame(text, () => setKey(text, 'id', id)) : text;
  const after = orSame(withId, () => appendEntries(withId, lost));
  return {
    text: after,
    restored: lost.map(() => after !== withId),
    idRestored: takesId && idOf(after) === id,
  };
}

/** @throws RoomError `invalid_file` when the front matter can't be read */
export const appendEntry = (text: string, section: SectionName, block: string, path = 'task'): string =>
  editBody(text, path, (body, offset) => appendToSection(body, section, block, offset));

/** At the end of their sections, in the order given. @throws RoomError `invalid_file` */
export function appendEntries(text: string, lost: readonly PlacedEntry[]) {
  let after = text;
  for (const section of new Set(lost.map((entry) => entry.section))) {
    const entries = lost.filter((entry) => entry.section === section);
    after = appendEntry(after, section, joinBlocks(section, entries));
  }
  return after;
}

function joinBlocks(section: SectionName, entries: readonly Pick<PlacedEntry, 'block'>[]): string {
  const gap = section === 'Progress' || section === 'Steps' ? '\n' : '\n\n';
  return entries.map(({ block }) => block).join(gap);
}

/** `block` as appended, without a final line end. */
export type PlacedEntry = { section: SectionName; block: string };

/** By section name, with `\n` line ends, between two of them; null for an unreadable text. */
export function sectionTexts(text: string): Map<string, string> | null {
  const parsed = parseDocument(text, 'merge');
  if (!parsed.ok) return null;
  const body = text.slice(parsed.doc.bodyStart);
  const texts = new Map<string, string>();
  for (const section of readSections(body).sections) {
    if (!section.known) continue;
    const content = body.slice(section.contentStart, section.end).replaceAll('\r\n', '\n');
    texts.set(section.name, `${texts.get(section.name) ?? ''}\n${content}\n`);
  }
  return texts;
}

export const holds = (texts: Map<string, string> | null, { section, block }: PlacedEntry) =>
  texts?.get(section)?.includes(`\n${block.replaceAll('\r\n', '\n')}\n`) ?? false;
