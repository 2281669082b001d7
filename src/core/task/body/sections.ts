// The sections of a task's body: root-level headings of depth 2, found by their text, in any order. A foreign body
// is cut out before they are looked for. Edits only insert, except where replacing is what was asked for.
import { type Edit, lineEndOf, shifted } from '../../document/edits.ts';
import { RoomError } from '../../errors.ts';
import { type BlockScan, type Fence, scanBlocks } from '../../markdown/blocks.ts';
import { endWithoutBlanks, firstLineWithText, lineEndAfter, onOneLine } from '../../markdown/lines.ts';
import { type ForeignBody, findForeignBody } from './foreign-text.ts';

/** The sections with a meaning, in the order in which new ones are put. */
export const SECTION_NAMES = [
  'Task',
  'Steps',
  'Notes',
  'Questions',
  'Comments',
  'Progress',
  'Outcome',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** Offsets into the body. The content runs up to the next root-level heading of depth 1 or 2. */
export interface Section {
  name: string; // Canonical for a known section, else the heading's raw text on one line.
  known: boolean;
  start: number;
  ownStart: number; // Start of the heading's own first line, after link definitions that hang on it.
  contentStart: number;
  end: number;
}

export interface SectionReading {
  preamble: { start: number; end: number };
  sections: Section[];
  openAtEnd: string | null; // The line that closes what is open at the end of the body, else null.
  foreign: ForeignBody | null;
  scan: BlockScan; // The root-level blocks, the foreign body read as blank.
}

export function readSections(body: string): SectionReading {
  const foreign = findForeignBody(body);
  let visible = body;
  if (foreign !== null) {
    // Spaces as long as the foreign body, so that offsets hold and nothing in it counts.
    const end = endWithoutBlanks(body, foreign.end, foreign.start);
    visible = body.slice(0, foreign.start) + ' '.repeat(end - foreign.start) + body.slice(end);
  }
  const scan = scanBlocks(visible);
  const heads = scan.headings.filter((heading) => heading.depth <= 2);
  const sections: Section[] = [];
  for (const [index, head] of heads.entries()) {
    if (head.depth !== 2) continue;
    const known = knownName(head.text);
    const end = heads[index + 1]?.start ?? body.length;
    const name = known ?? onOneLine(head.text);
    const { start, ownStart, end: contentStart } = head;
    sections.push({ name, known: known !== null, start, ownStart, contentStart, end });
  }
  const preamble = { start: 0, end: heads[0]?.start ?? body.length };
  return { preamble, sections, openAtEnd: scan.openAtEnd, foreign, scan };
}

/** The name a heading's text means: case, surrounding space and a colon at the end do not count. */
function knownName(text: string): SectionName | null {
  const word = text.trim().replace(/:$/, '').trim().toLowerCase();
  return SECTION_NAMES.find((name) => name.toLowerCase() === word) ?? null;
}

export const sectionsNamed = (reading: SectionReading, name: SectionName): Section[] =>
  reading.sections.filter((section) => section.known && section.name === name);

/** Tells the section whose content holds an offset; asked with growing offsets, it passes each section once. */
export function sectionFinder(sections: readonly Section[]): (offset: number) => Section | null {
  let index = 0;
  return (offset) => {
    while (index < sections.length && sections[index]!.end <= offset) index += 1;
    const section = sections[index];
    return section && offset >= section.contentStart ? section : null;
  };
}

/** Edits that append a block to a section's content: after its last line that is not blank, a blank line between,
 * or none when both are list items. Of several sections of the name the last takes it. A missing section is made
 * before the first known one that comes later in SECTION_NAMES, else at the end; what is open there is closed.
 * @param block safe text without a final line end; its line ends become the body's
 * @param offset added to every span: where `body` starts in the file */
export function appendToSection(body: string, name: SectionName, block: string, offset: number): Edit[] {
  const reading = readSections(body);
  const eol = lineEndOf(body);
  const text = block.replace(/\r\n?|\n/g, eol);
  const section = sectionsNamed(reading, name).at(-1);
  if (!section) return shifted([createSection(body, reading, name, text)], offset);
  const limit = leansOnCode(body, section.end) ? section.contentStart : section.end;
  const at = lineEndAfter(body, endWithoutBlanks(body, limit, section.start));
  const gap = isItem(text) && endsInItem(reading, section, at) ? eol : eol + eol;
  return shifted([insertion(body, reading, at, gap, text)], offset);
}

/** Edits that make `content` the whole content of a section, which is made when missing. Where the name comes more
 * than once the last one takes it and the others become empty. No edits when it is there already.
 * @param content safe text without a final line end; its line ends become the body's; may be empty
 * @param offset added to every span
 * @throws RoomError `conflict` when what follows is a heading only as long as this content stands before it */
export function replaceSection(body: string, name: SectionName, content: string, offset: number): Edit[] {
  const reading = readSections(body);
  const named = sectionsNamed(reading, name);
  const eol = lineEndOf(body);
  const text = content.replace(/\r\n?|\n/g, eol);
  if (named.length === 0) return shifted([createSection(body, reading, name, text)], offset);
  const edits = named.map((section, index) => {
    if (leansOnCode(body, section.end))
      throw new RoomError('conflict', `the heading after ${name} must be changed by hand first`);
    return replaceContent(body, section, index === named.length - 1 ? text : '', eol);
  });
  const made = edits.filter((edit) => edit !== null);
  return shifted(made, offset);
}

function replaceContent(body: string, section: Section, wanted: string, eol: string): Edit | null {
  const end = endWithoutBlanks(body, section.end, section.contentStart);
  if (end === section.contentStart) {
    if (wanted === '') return null;
    const at = lineEndAfter(body, endWithoutBlanks(body, section.contentStart, section.start));
    return { start: at, end: at, insert: eol + eol + wanted + gapAfter(body, at, eol, wanted) };
  }
  const start = firstLineWithText(body, section.contentStart);
  const stop = lineEndAfter(body, end);
  const present = body.slice(start, stop);
  if (present === wanted || (wanted !== '' && present === wanted + gapAfter(body, stop, eol, wanted)))
    return null;
  return { start, end: stop, insert: wanted === '' ? '' : wanted + gapAfter(body, stop, eol, wanted) };
}

function createSection(body: string, reading: SectionReading, name: SectionName, text: string): Edit {
  const eol = lineEndOf(body);
  const whole = text === '' ? `## ${name}` : `## ${name}${eol}${eol}${text}`;
  const rank = SECTION_NAMES.indexOf(name);
  const next = reading.sections.find(
    (other) => other.known && SECTION_NAMES.indexOf(other.name as SectionName) > rank,
  );
  const limit = next?.start ?? body.length;
  const before = endWithoutBlanks(body, limit);
  if (before > 0) return insertion(body, reading, lineEndAfter(body, before), eol + eol, whole);
  if (next) {
    const apart = listEnd(body, limit, whole) && LIST_END + eol + eol;
    return { start: limit, end: limit, insert: whole + eol + eol + apart };
  }
  const fresh = body === '' || body.endsWith('\n') || body.endsWith('\r');
  return { start: limit, end: limit, insert: (fresh ? '' : eol) + whole + eol };
}

/** Inserts at the end of a line, closing what is open there, with a blank line before what follows. */
function insertion(body: string, reading: SectionReading, at: number, gap: string, text: string): Edit {
  const eol = lineEndOf(body);
  const last = endWithoutBlanks(body) <= at;
  const closing = last && reading.openAtEnd !== null ? eol + reading.openAtEnd : '';
  return { start: at, end: at, insert: closing + gap + text + gapAfter(body, at, eol, text) };
}

// An indented heading after a list would be read as part of its last item; this line ends the list.
const LIST_END = '<!-- -->';

/** LIST_END when the text ends in a list that would take in the indented line at `next`, else ''. */
function listEnd(body: string, next: number, text: string): string {
  if (body[next] !== ' ' && body[next] !== '\t') return '';
  return scanBlocks(text).items.at(-1)?.end === text.length ? LIST_END : '';
}

/** What separates a text inserted at `at` from the text below: LIST_END where needed, and a blank line unless there is one. */
function gapAfter(body: string, at: number, eol: string, text: string): string {
  const rest = /(?:\r\n|\r|\n)(?![ \t]*(?:[\r\n]|$))/y;
  rest.lastIndex = at;
  const end = listEnd(body, firstLineWithText(body, at), text);
  return (end && eol + eol + end) + (rest.test(body) ? eol : '');
}

/** True when a heading at `at` starts like a list item: it is a heading only because indented code stands right
 * before it (micromark lets some list items not interrupt that), and must stay behind it. */
function leansOnCode(body: string, at: number): boolean {
  const item = /[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t\r\n]|$)/y;
  item.lastIndex = at;
  return item.test(body);
}

const isItem = (text: string): boolean => /^(?:[-*+]|\d{1,9}[.)])[ \t]/.test(text);

function endsInItem(reading: SectionReading, section: Section, at: number): boolean {
  const item = reading.scan.items.findLast((one) => one.start < at);
  return item !== undefined && item.start >= section.contentStart && item.end >= at;
}

// The blocks that a runbook runs: ```` ```sh run ```` fences in what the person wrote, never in answers or in text from elsewhere.

/** Sections that hold answers, not requests. */
const NOT_INPUT = ['Questions', 'Progress', 'Outcome', 'Comments'];
const RUN_INFO = /^sh[ \t]+run$/;

export type RunBlocks = { ok: true; fences: Fence[] } | { ok: false; message: string };

/** @param body a text after its front matter */
export function findRunBlocks(body: string, reading: SectionReading = readSections(body)): RunBlocks {
  const { sections, foreign, scan } = reading;
  const failed = (message: string) => ({ ok: false, message }) as const;
  if (foreign !== null)
    return failed(
      'a runbook runs no text that came from elsewhere; move the blocks out of the mirrored body',
    );
  const answers = sections.filter(({ name, known }) => known && NOT_INPUT.includes(name));
  const isAnswer = (at: number) => answers.some(({ start, end }) => at >= start && at < end);
  const fences = scan.fences.filter(({ start, info }) => RUN_INFO.test(info.trim()) && !isAnswer(start));
  if (fences.some(({ closed }) => !closed))
    return failed('the last "sh run" block is not closed; end it with a line of ```');
  return { ok: true, fences };
}
