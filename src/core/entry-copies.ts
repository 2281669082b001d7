// Entries that a merge made stand twice, because both of its sides had put them into a text that lacked them.
import { parseDocument } from './document.ts';
import { readSections } from './sections.ts';

/**
 * Takes out the copies of `blocks` that neither side of a merge had, the last ones, and a section left empty by that.
 * @param sides the texts that were merged
 */
export function dropCopies(merged: string, sides: readonly string[], blocks: Iterable<string>): string {
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

/** Takes out second headings of a section: of one that is empty, or that follows its twin directly. */
function joinTwins(text: string): string {
  const parsed = parseDocument(text, 'merge');
  if (!parsed.ok) return text;
  const { bodyStart } = parsed.doc;
  const { sections } = readSections(text.slice(bodyStart));
  let result = text;
  for (const [at, section] of [...sections.entries()].reverse()) {
    if (!section.known || !sections.slice(0, at).some((other) => other.name === section.name)) continue;
    const content = text.slice(bodyStart + section.contentStart, bodyStart + section.end);
    const first = content.search(/\S/);
    if (first >= 0 && sections[at - 1]!.name !== section.name) continue;
    const until = first < 0 ? section.end : section.contentStart + first;
    result = result.slice(0, bodyStart + section.start) + result.slice(bodyStart + until);
  }
  return result;
}
