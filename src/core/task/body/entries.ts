// Dated entries of Comments, Progress and Outcome: made from data, read back from a body. No text in an entry can look like another entry.
import {
  endWithoutBlanks,
  firstLineWithText,
  lineEndAfter,
  nextLineAfter,
  withoutBlankEdges,
} from '../../markdown/lines.ts';
import { normaliseForeign, safeAgentText } from './foreign-text.ts';
import type { SectionName, SectionReading } from './sections.ts';
import { readSections, sectionFinder, sectionsNamed } from './sections.ts';

// Entries that are a header line and a quote below it (comments, questions, answers): made from data, read back from a body.
// A header counts only as a root-level paragraph of its own directly before a quote, so that no quoted text can make one.
export interface QuotedEntry {
  author: string;
  role: string | null;
  at: string; // `YYYY-MM-DD HH:MM` in UTC.
  mark: string; // What its header's hidden comment says: the kind of entry and its id.
  text: string; // With `\n` line ends.
  start: number; // Offsets into the body, from the header's line to after the last quoted line.
  end: number;
  raw: string;
}

interface NewQuoted {
  author: string;
  role: string | null; // What the author is to the tracker or room, when that is known.
  atMs: number;
  mark: string; // One word, or words that hold no `-->`.
  text: string;
}

const STAMP = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
const HEAD = new RegExp(
  String.raw`^\*\*@([^*\r\n]*)\*\*(?: \(([^()\r\n]*)\))? · (${STAMP}) <!-- ([cqa]:\S+(?: q:\S+)?) -->[ \t]*$`,
);

/** UTC time of an entry, `YYYY-MM-DD HH:MM`, from epoch milliseconds. */
export const formatStamp = (atMs: number) => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');

/** The header and the quote. Every character of the text survives but NUL and lone surrogates. */
export function formatQuoted({ author, role, atMs, mark, text }: NewQuoted): string {
  const who = `**@${escapeName(author)}**${role === null || role === '' ? '' : ` (${escapeName(role)})`}`;
  const quoted = normaliseForeign(text)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`));
  return [`${who} · ${formatStamp(atMs)} <!-- ${mark} -->`, ...quoted].join('\n');
}

export function readQuoted(body: string, reading: SectionReading, section: SectionName): QuotedEntry[] {
  const sectionAt = sectionFinder(sectionsNamed(reading, section));
  const quotes = new Set(reading.scan.quotes.map((quote) => quote.start));
  const entries: QuotedEntry[] = [];
  for (const { start, end: quoteStart } of reading.scan.paragraphs) {
    if (!sectionAt(start) || !quotes.has(quoteStart)) continue;
    const head = HEAD.exec(body.slice(start, lineEndAfter(body, start)));
    if (!head || nextLineAfter(body, lineEndAfter(body, start)) !== quoteStart) continue;
    const { text, end } = readQuote(body, quoteStart);
    entries.push({
      author: unescapeName(head[1]!),
      role: head[2] === undefined ? null : unescapeName(head[2]),
      at: head[3]!,
      mark: head[4]!,
      text,
      start,
      end,
      raw: body.slice(start, end),
    });
  }
  return entries;
}

function readQuote(body: string, quoteStart: number): { text: string; end: number } {
  const lines: string[] = [];
  let at = quoteStart;
  while (body[at] === '>') {
    const lineEnd = lineEndAfter(body, at);
    lines.push(body.slice(at + (body[at + 1] === ' ' ? 2 : 1), lineEnd));
    at = nextLineAfter(body, lineEnd);
  }
  return { text: lines.join('\n'), end: at };
}

// Letters, digits and what logins are made of; all else as a character reference, which Markdown shows as the character.
const UNSAFE_IN_NAME = /^ | $|[^\p{L}\p{M}\p{N} _.:[\]'@+-]|\p{Default_Ignorable_Code_Point}| (?= )/gu;

const escapeName = (name: string): string =>
  normaliseForeign(name).replace(UNSAFE_IN_NAME, (char) => `&#x${char.codePointAt(0)!.toString(16)};`);

const unescapeName = (text: string): string => text.replace(/&#x([0-9a-f]{1,6});/g, characterOf);

export const escapeId = (id: string): string =>
  normaliseForeign(id).replace(/[^0-9A-Za-z_.:-]/gu, (char) => `~${char.codePointAt(0)!.toString(16)}~`);

export const unescapeId = (text: string): string => text.replace(/~([0-9a-f]{1,6})~/g, characterOf);

function characterOf(whole: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

export interface ProgressEntry {
  at: string | null; // `YYYY-MM-DD HH:MM` in UTC; null for an item typed by hand without a time.
  text: string;
  isNote: boolean; // The runtime's own: paused, gave up, how a program ended. It stays in the file.
  raw: string;
}

/** Its note is what a program printed. */
export interface OutcomeEntry extends ProgressEntry {
  author: string | null;
}

export type CommentEntry = Omit<QuotedEntry, 'mark'> & { id: string };

const PROGRESS = new RegExp(`^(${STAMP}) ·[ \\t]*`);
const OUTCOME = new RegExp(String.raw`^\*\*(${STAMP})\*\* · (.*)$`, 's');
const OUTCOME_LINES = new RegExp(String.raw`^([ \t]*)(?=\*\*${STAMP}\*\* · )`, 'gm');
const COMMENT = /^c:(\S+)$/;

// What would make a first line more than the start of a paragraph.
const BLOCK_START =
  /^(?:[ \t><]|#{1,6}(?:\s|$)|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|`{3}|~{3}|(?:[-*_][ \t]*){3})/;

// At the end of an entry's first line; in a text from agents it is made harmless.
const NOTE_MARK = '<!-- note -->';

/** The entry as a note of the runtime's, which no tracker is shown. */
export const asNote = (entry: string): string => entry.replace(/(?=\n|$)/, ` ${NOTE_MARK}`);

export function withoutNotes(section: string): string {
  const lines = section.split('\n').filter((line) => !line.trimEnd().endsWith(NOTE_MARK));
  return lines.length === section.split('\n').length ? section : withoutBlankEdges(lines.join('\n'));
}

/** A list item for the Progress section; the text is made safe. */
export function formatProgress({ atMs, text }: { atMs: number; text: string }): string {
  const safe = safeAgentText(text);
  const head = `- ${formatStamp(atMs)} ·`;
  if (safe === '') return head;
  const below = safe.replace(/\n(?=[^\n])/g, '\n  ');
  return BLOCK_START.test(safe) ? `${head}\n\n  ${below}` : `${head} ${below}`;
}

export function readProgress(body: string, reading: SectionReading = readSections(body)): ProgressEntry[] {
  const sectionAt = sectionFinder(sectionsNamed(reading, 'Progress'));
  const entries: ProgressEntry[] = [];
  for (const item of reading.scan.items) {
    if (!sectionAt(item.start)) continue;
    const end = endWithoutBlanks(body, item.end, item.contentStart);
    const content = normaliseForeign(body.slice(item.contentStart, end));
    const stamp = PROGRESS.exec(content);
    const indent = item.contentStart - item.start;
    const lines = stamp ? content.slice(stamp[0].length) : content;
    const said = lines.replace(new RegExp(`\\n {0,${Math.max(0, indent)}}`, 'g'), '\n');
    const [firstLine = ''] = content.split('\n', 1);
    const isNote = firstLine.trimEnd().endsWith(NOTE_MARK);
    const text = withoutBlankEdges(isNote ? said.replace(/[ \t]*<!-- note -->[ \t]*(?=\n|$)/, '') : said);
    entries.push({ at: stamp?.[1] ?? null, text, isNote, raw: body.slice(item.start, end) });
  }
  return entries;
}

/** A dated block for the Outcome section; the text is made safe. */
export function formatOutcome({ atMs, author, text }: { atMs: number; author: string; text: string }) {
  const safe = safeAgentText(text).replace(OUTCOME_LINES, '$1\\');
  const head = `**${formatStamp(atMs)}** · ${escapeName(author)}`;
  return safe === '' ? head : `${head}\n\n${safe}`;
}

/** The entries of the Outcome section; text before the first header, typed by hand, is one without time and author. */
export function readOutcome(body: string, reading: SectionReading = readSections(body)): OutcomeEntry[] {
  const sections = sectionsNamed(reading, 'Outcome');
  const sectionAt = sectionFinder(sections);
  const starts = new Map(
    sections.map((section) => [section, [firstLineWithText(body, section.contentStart)]]),
  );
  for (const { start } of reading.scan.paragraphs) {
    const section = sectionAt(start);
    if (section && OUTCOME.test(body.slice(start, lineEndAfter(body, start))))
      starts.get(section)!.push(start);
  }
  const entries: OutcomeEntry[] = [];
  for (const [section, [first, ...heads]] of starts) {
    for (const [index, start] of [first!, ...heads].entries()) {
      const entry = readOutcomeEntry(body, start, heads[index] ?? section.end, index > 0);
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

function readOutcomeEntry(body: string, start: number, limit: number, headed: boolean): OutcomeEntry | null {
  if (start >= limit) return null;
  const end = endWithoutBlanks(body, limit, start);
  const headEnd = lineEndAfter(body, start);
  const head = headed ? OUTCOME.exec(body.slice(start, headEnd)) : null;
  const signed = (head?.[2] ?? '').trim();
  const isNote = signed.endsWith(NOTE_MARK);
  const text = normaliseForeign(body.slice(head ? Math.min(end, headEnd) : start, end)).replace(
    /^(?:[ \t]*\n)+/,
    '',
  );
  return {
    at: head?.[1] ?? null,
    author: head ? unescapeName(isNote ? signed.slice(0, -NOTE_MARK.length).trim() : signed) : null,
    text,
    isNote,
    raw: body.slice(start, end),
  };
}

export type NewComment = Omit<NewQuoted, 'mark'> & { id: string };

/** A header line and the text, quoted: for the Comments section. Every character of the text survives but NUL and lone surrogates. */
export const formatComment = ({ id, ...said }: NewComment): string =>
  formatQuoted({ ...said, mark: `c:${escapeId(id)}` });

/** The comment entries of the Comments section, in order. Text typed by hand is no entry. */
export const readComments = (body: string, reading: SectionReading = readSections(body)): CommentEntry[] =>
  readQuoted(body, reading, 'Comments').flatMap(({ mark, ...entry }) => {
    const id = COMMENT.exec(mark)?.[1];
    return id === undefined ? [] : [{ ...entry, id: unescapeId(id) }];
  });
