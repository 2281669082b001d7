// A merge of lines knows no entries: one may stand twice, in another section, or glued to its neighbour. Here each
// entry gets one place, with blank lines around it.
import { parseDocument } from '../document/document.ts';
import { readSections } from '../task/body/sections.ts';
import type { PlacedEntry } from './lost-entries.ts';
import { appendEntries, holds, markerOf, missingEntries, sectionTexts } from './lost-entries.ts';

/** Every entry that stood whole in its section in one of `sides` stands there once. Adds no other entry. */
export function settleEntries(merged: string, sides: readonly string[], entries: readonly PlacedEntry[]) {
  const text = dropCopies(
    merged,
    sides,
    entries.map((entry) => entry.block),
  );
  const now = sectionTexts(text);
  if (now === null) return text;
  const before = sides.map(sectionTexts);
  const displaced = entries.filter(
    (entry) =>
      !holds(now, entry) &&
      before.some((texts) => holds(texts, entry)) &&
      // Whoever ticked the step.
      (entry.section !== 'Steps' || missingEntries(text, [entry]).length > 0),
  );
  const settled =
    displaced.length === 0
      ? text
      : appendEntries(
          displaced.reduce((rest, { block }) => dropTraces(rest, block), text),
          displaced,
        );
  return entries.reduce((rest, entry) => setApart(rest, sides, entry), settled);
}

/** An entry glued to a neighbouring line would be read as a part of it. Items of a list may stand close. */
function setApart(text: string, sides: readonly string[], { section, block }: PlacedEntry): string {
  if (section === 'Progress' || section === 'Steps') return text;
  const glued = gaps(text, block);
  if (glued === null || (glued.before && glued.after)) return text;
  const meant = sides.map((side) => gaps(side, block));
  const lines = text.split('\n');
  const blank = lines[glued.at]!.endsWith('\r') ? '\r' : '';
  if (!glued.after && meant.some((gap) => gap?.after)) lines.splice(glued.end, 0, blank);
  if (!glued.before && meant.some((gap) => gap?.before)) lines.splice(glued.at, 0, blank);
  return lines.join('\n');
}

/** With whether a blank line, a heading or nothing comes before and after it. */
function gaps(text: string, block: string) {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const wanted = block.split(/\r?\n/);
  const at = lines.findIndex((_, from) => wanted.every((line, offset) => lines[from + offset] === line));
  if (at < 0) return null;
  const end = at + wanted.length;
  const isGap = (line: string | undefined) =>
    line === undefined || line.trim() === '' || /^#{1,6} /.test(line);
  return { at, end, before: isGap(lines[at - 1]), after: isGap(lines[end]) };
}

/** Also without the rest of a torn comment's header. */
function dropTraces(text: string, block: string): string {
  const lines = block.split(/\r?\n/);
  const whole = dropLast(text, lines);
  const marker = markerOf(block);
  return marker && whole.includes(marker) ? dropLast(whole, [lines[0]!]) : whole;
}

/** Removes the last copies of `blocks` that neither side had, and sections that this leaves empty. */
function dropCopies(merged: string, sides: readonly string[], blocks: Iterable<string>): string {
  const counts = [merged, ...sides].map(countLines);
  let text = merged;
  for (const block of new Set(blocks)) {
    const lines = block.split(/\r?\n/);
    const [now, ...before] = counts.map((count) => count.get(lines[0]!) ?? 0);
    const allowed = Math.max(1, ...before);
    for (let left = now! - allowed; left > 0; left -= 1) text = dropLast(text, lines);
  }
  return text === merged ? merged : joinTwins(text);
}

function countLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function dropLast(text: string, block: readonly string[]): string {
  const lines = text.split('\n');
  const says = (at: number) => lines[at]?.replace(/\r$/, '');
  for (let at = lines.length - block.length; at >= 0; at -= 1) {
    if (!block.every((line, offset) => says(at + offset) === line)) continue;
    const blank = at > 0 && says(at - 1) === '' && says(at + block.length) === '';
    lines.splice(blank ? at - 1 : at, block.length + Number(blank));
    return lines.join('\n');
  }
  return text;
}

/** Removes second headings of a section that are empty or directly follow their twin. */
function joinTwins(text: string): string {
  const parsed = parseDocument(text, 'merge');
  if (!parsed.ok) return text;
  const { bodyStart } = parsed.doc;
  const { sections } = readSections(text.slice(bodyStart));
  let result = text;
  for (const [at, section] of [...sections.entries()].reverse()) {
    if (!section.known || !sections.slice(0, at).some((other) => other.name === section.name)) continue;
    const first = text.slice(bodyStart + section.contentStart, bodyStart + section.end).search(/\S/);
    if (first >= 0 && sections[at - 1]!.name !== section.name) continue;
    const until = first < 0 ? section.end : section.contentStart + first;
    result = result.slice(0, bodyStart + section.start) + result.slice(bodyStart + until);
  }
  return result;
}
