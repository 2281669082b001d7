// Steps as entries: which ones an edit of ours added, and how a line is known for a step whoever ticked it since.
import { parseDocument } from '../document/document.ts';
import { readSteps, STEP_LINK } from '../task/body/steps.ts';

const STEP_LINE = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]+(.*)$/;

/** What a line is known by: a step's by its title, without its box, marker and link; any other line as it is. */
export function keyOfLine(line: string): string {
  const title = STEP_LINE.exec(line)?.[1];
  return title === undefined ? line : `[] ${title.trim().replace(STEP_LINK, '').trimEnd()}`;
}

/**
 * The steps that an edit added, and those of `known` that it ticked, linked or detailed, as they stand now. None where it
 * took steps out: in their place a stale buffer still has the old ones.
 */
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

/** @returns what the block of a step is known by */
export function keyOfBlock(block: string): string {
  return keyOfLine(block.split('\n', 1)[0]!);
}

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
