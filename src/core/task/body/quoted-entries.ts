// Entries that are a header line and a quote below it (comments, questions, answers): made from data, read back from a body.
// A header counts only as a root-level paragraph of its own directly before a quote, so that no quoted text can make one.
import { lineEndAfter, nextLineAfter } from '../../markdown/blank-space.ts';
import { normaliseForeign } from './foreign-text.ts';
import { type SectionName, type SectionReading, sectionFinder, sectionsNamed } from './sections.ts';

export interface QuotedEntry {
  author: string;
  role: string | null;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  at: string;
  /** What its header's hidden comment says: the kind of entry and its id. */
  mark: string;
  /** With `\n` line ends. */
  text: string;
  /** Offsets into the body, from the header's line to after the last quoted line. */
  start: number;
  end: number;
  raw: string;
}

export interface NewQuoted {
  author: string;
  role: string | null;
  atMs: number;
  /** One word, or words that hold no `-->`. */
  mark: string;
  text: string;
}

export const STAMP = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
const HEAD = new RegExp(
  String.raw`^\*\*@([^*\r\n]*)\*\*(?: \(([^()\r\n]*)\))? · (${STAMP}) <!-- ([cqa]:\S+(?: q:\S+)?) -->[ \t]*$`,
);

/** UTC time of an entry, `YYYY-MM-DD HH:MM`, from epoch milliseconds. */
export function formatStamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
}

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

export function escapeName(name: string): string {
  return normaliseForeign(name).replace(UNSAFE_IN_NAME, (char) => `&#x${char.codePointAt(0)!.toString(16)};`);
}

export function unescapeName(text: string): string {
  return text.replace(/&#x([0-9a-f]{1,6});/g, characterOf);
}

export function escapeId(id: string): string {
  return normaliseForeign(id).replace(
    /[^0-9A-Za-z_.:-]/gu,
    (char) => `~${char.codePointAt(0)!.toString(16)}~`,
  );
}

export function unescapeId(text: string): string {
  return text.replace(/~([0-9a-f]{1,6})~/g, characterOf);
}

function characterOf(whole: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}
