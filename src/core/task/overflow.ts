// Keeps a task file small: when the entries of Progress, Comments or Questions grow past a limit, the oldest move to a file of
// their own and a line in the section says so. What a person typed there stays.
import { MAX_FILE_BYTES, parseDocument } from '../document/document.ts';
import { applyEdits, type Edit, lineEndOf, shifted } from '../document/edits.ts';
import type { Span } from '../markdown/blocks.ts';
import { readComments, readProgress } from './body/entries.ts';
import { isOpen, type Question, readQuestions } from './body/questions.ts';
import { readSections, type Section, sectionsNamed } from './body/sections.ts';
import { hashOfAnswers } from './read-task.ts';

/** Entries of a section that together reach this many bytes are too many. */
export const OVERFLOW_AT_BYTES = 256 * 1024;
export const OVERFLOW_KEEPS_BYTES = 64 * 1024;

export interface Overflow {
  path: string;
  blocks: string[]; // What moves there, oldest first, as it stood.
}

const encoder = new TextEncoder();

export type EntryLimits = { atBytes: number; keepBytes: number };
type EntrySection = 'Comments' | 'Progress';
type OldEntries = { section: EntrySection | 'Questions'; spans: readonly Span[] };

/** Moves the oldest entries out of a text that has too many; of each section the newest 64 KiB, at least one, stay.
 * @param path where they go, inside the room; named in the line that stays
 * @param settled the questions that may go; without it they all stay
 * @returns null when nothing has to move, or the text can't be read */
export function moveOldestOut(text: string, path: string, settled: SettledAnswers = new Map()) {
  // Most texts are far smaller than that as a whole, and need no closer look.
  const size = encoder.encode(text).length;
  if (size < OVERFLOW_AT_BYTES) return null;
  const atBytes = size > MAX_FILE_BYTES ? OVERFLOW_KEEPS_BYTES : OVERFLOW_AT_BYTES;
  const limits = { atBytes, keepBytes: OVERFLOW_KEEPS_BYTES };
  return moveOut(text, path, (body) => [
    ...oldOf(body, limits, ['Comments', 'Progress']),
    { section: 'Questions', spans: oldest(body, settledGroups(body, settled), limits) },
  ]);
}

/** Of the sections that have too many, as they stand, comments first; null when none has, or the text can't be read. */
export function oldestEntries(text: string, limits: EntryLimits, sections: readonly EntrySection[]) {
  const parsed = parseDocument(text, '');
  if (!parsed.ok) return null;
  const body = text.slice(parsed.doc.bodyStart);
  const old = oldOf(body, limits, sections).flatMap(({ spans }) => spans);
  return old.length === 0 ? null : old.map(({ start, end }) => body.slice(start, end).trimEnd());
}

/** Moves these very entries out; null unless all of them stand in the text. */
export function moveTheseOut(text: string, path: string, blocks: readonly string[]) {
  const wanted = [...blocks];
  const result = moveOut(text, path, (body) =>
    (['Comments', 'Progress'] as const).map((section) => ({
      section,
      spans: groupsOf(body, section)
        .flat()
        .filter(({ start, end }) => {
          const at = wanted.indexOf(body.slice(start, end).trimEnd());
          if (at >= 0) wanted.splice(at, 1);
          return at >= 0;
        }),
    })),
  );
  return wanted.length === 0 ? result : null;
}

function moveOut(text: string, path: string, choose: (body: string) => readonly OldEntries[]) {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const { bodyStart } = parsed.doc;
  const body = text.slice(bodyStart);
  const reading = readSections(body);
  const edits: Edit[] = [];
  const blocks: string[] = [];
  for (const { section: name, spans: old } of choose(body)) {
    for (const section of sectionsNamed(reading, name)) {
      const inside = old.filter(({ start, end }) => section.start < start && section.end >= end);
      if (inside.length === 0) continue;
      blocks.push(...inside.map((span) => body.slice(span.start, span.end).trimEnd()));
      edits.push(...removal(body, section, inside, path));
    }
  }
  if (blocks.length === 0) return null;
  return { text: applyEdits(text, shifted(edits, bodyStart)), overflow: { path, blocks } };
}

const oldOf = (body: string, limits: EntryLimits, sections: readonly EntrySection[]): OldEntries[] =>
  sections.map((section) => ({ section, spans: oldest(body, groupsOf(body, section), limits) }));

/** Entries, each a group of its own: comments, and the dated items of Progress. Items typed without a time stay. */
function groupsOf(body: string, section: EntrySection): Span[][] {
  if (section === 'Comments') return readComments(body).map((comment) => [comment]);
  let end = 0;
  return readProgress(body).flatMap(({ at, raw }) => {
    const start = body.indexOf(raw, end);
    end = start + raw.length;
    return at === null ? [] : [[{ start, end }]];
  });
}

/** What stands before the newest groups that stay, at least one; none when all together are below the limit. */
function oldest(body: string, groups: readonly Span[][], { atBytes, keepBytes }: EntryLimits): Span[] {
  const sizes = groups.map((spans) =>
    spans.reduce((sum, { start, end }) => sum + encoder.encode(body.slice(start, end)).length, 0),
  );
  if (sizes.reduce((sum, size) => sum + size, 0) < atBytes) return [];
  let first = groups.length - 1;
  for (let kept = sizes[first]!; first > 0 && kept + sizes[first - 1]! <= keepBytes; first -= 1)
    kept += sizes[first - 1]!;
  const old = groups.slice(0, first).flat();
  return old.toSorted((a, b) => a.start - b.start);
}

function removal(body: string, section: Section, old: readonly Span[], path: string): Edit[] {
  const edits = old.map(({ start, end }) => ({
    start,
    end: afterBlanks(body, end, section.end),
    insert: '',
  }));
  const eol = lineEndOf(body);
  const note = noteIn(body, section, path);
  const line = (count: number) => `*${count} older entries: ${path}*`;
  if (note) return [{ start: note.start, end: note.end, insert: line(note.count + old.length) }, ...edits];
  const first = edits[0]!;
  const words = `${line(old.length)}${eol}${eol}`;
  const top = afterBlanks(body, section.contentStart, section.end);
  // Below a question that stays, the line would be read as typed there.
  if (section.name === 'Questions' && top < first.start)
    return [{ start: top, end: top, insert: words }, ...edits];
  return [{ ...first, insert: words }, ...edits.slice(1)];
}

/** After the blank lines that follow `at`, but not past `limit`. */
function afterBlanks(body: string, at: number, limit: number): number {
  const blanks = /(?:[ \t]*(?:\r\n|\r|\n))*/y;
  blanks.lastIndex = at;
  return Math.min(at + (blanks.exec(body)?.[0].length ?? 0), limit);
}

/** The line an earlier move left. */
function noteIn(body: string, section: Section, path: string): (Span & { count: number }) | null {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`^\\*(\\d{1,9}) older entries: ${escaped}\\*(?=[ \\t]*\\r?$)`, 'm').exec(
    body.slice(section.contentStart, section.end),
  );
  if (!match) return null;
  const start = section.contentStart + match.index;
  return { start, end: start + match[0].length, count: Number(match[1]) };
}

/** Keys of questions, each with the hash of the answers that a turn has dealt with. */
export type SettledAnswers = ReadonlyMap<string, string>;

export const isSettled = (question: Question, settled: SettledAnswers): boolean =>
  !isOpen(question) && settled.get(question.key) === hashOfAnswers(question);

function settledGroups(body: string, settled: SettledAnswers): Span[][] {
  if (settled.size === 0) return [];
  return readQuestions(body)
    .filter((question) => isSettled(question, settled))
    .map(({ spans }) => spans)
    .toSorted((a, b) => a.at(-1)!.start - b.at(-1)!.start);
}
