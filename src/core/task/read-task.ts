// A task file's text → the facts in it, or every problem with its place. Pure: the same text gives the same Task.
import { hash as digest } from 'node:crypto';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import { placeOf } from '../document/edits.ts';
import { editDistance } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import type { Span } from '../markdown/blocks.ts';
import { endWithoutBlanks, onOneLine, withoutBlankEdges } from '../markdown/lines.ts';
import { readQuoted } from './body/entries.ts';
import type { ForeignBody } from './body/foreign-text.ts';
import { isOpen, type Question, readQuestions } from './body/questions.ts';
import type { Section, SectionName, SectionReading } from './body/sections.ts';
import { findRunBlocks, readSections, sectionsNamed } from './body/sections.ts';
import { readSteps } from './body/steps.ts';
import { type FileKeys, ownStatusOf, readText, reportKey, type StatusWords } from './key-kinds.ts';
import { nameOfPath } from './names.ts';
import { STATUSES, type Status, saysDeleted } from './status.ts';
import type { Task, TaskQuestion, TaskReading } from './task.ts';
import { KNOWN_KEYS, readKeys } from './task-keys.ts';

// What the requester says, as one text: its hash is the task's revision. Bookkeeping (steps, questions,
// comments, progress, outcome), blank space and the way line ends or headings are written never change it.
const BOOKKEEPING = new Set(['Steps', 'Questions', 'Comments', 'Progress', 'Outcome']);

type RevisionInput = Pick<Task, 'title' | 'owner'> & { body: string; reading?: SectionReading };

/** The text to hash; two tasks whose requesters ask the same have the same text. */
export function revisionText({ title, owner, body, reading = readSections(body) }: RevisionInput): string {
  const parts: [heading: string | null, content: string][] = [];
  const add = (heading: string | null, start: number, end: number, keepEmpty = false): void => {
    const content = plain(body, reading, start, end);
    if (content !== '' || keepEmpty) parts.push([heading, content]);
  };
  let at = 0;
  for (const section of reading.sections) {
    add(null, at, section.start);
    add(null, section.start, section.ownStart);
    if (!section.known || !BOOKKEEPING.has(section.name))
      add(section.name, section.contentStart, section.end, !section.known);
    at = section.end;
  }
  add(null, at, body.length);
  return JSON.stringify([title, owner, parts]);
}

/** A span's text without blank lines around it, trailing space and the tag of the foreign body. */
function plain(body: string, reading: SectionReading, start: number, end: number): string {
  const { foreign, openAtEnd } = reading;
  let text =
    foreign && start <= foreign.start && foreign.end <= end
      ? untagged(body, foreign, start, end)
      : body.slice(start, end);
  text = text.replace(/\r\n?/g, '\n');
  if (end === body.length && openAtEnd !== null) {
    // Appending a section closes what is open: counted as closed from the start, so that it changes nothing.
    const last = endWithoutBlanks(text);
    const lineEnd = text.indexOf('\n', last);
    if (last > 0) text = `${text.slice(0, lineEnd < 0 ? text.length : lineEnd)}\n${openAtEnd}`;
  }
  return withoutBlankEdges(text);
}

function untagged(body: string, foreign: ForeignBody, start: number, end: number): string {
  const inside = body.slice(foreign.contentStart, foreign.contentEnd).replace(/\r\n?/g, '\n');
  return `${body.slice(start, foreign.start)}<!-- body -->\n${inside}\n<!-- /body -->\n${body.slice(foreign.end, end)}`;
}

// Text that a person typed where only entries count: it is kept, is no input, and so starts no turn.
type LooseText = { section: SectionName; start: number; line: string };

const MAX_FOUND = 5;
/** What the runtime leaves where it moved entries away, and what readers of the file do not see. */
const NO_TEXT = /<!--[\s\S]*?-->|^\*\d{1,9} older entries: .*\*[ \t]*$/gm;
const DATED = /^\*\*\d{4}-\d\d-\d\d \d\d:\d\d\*\* · /;

/** The first pieces of such text. A paragraph in Progress and an outcome without a date are reported only while the task is
 * open: in a finished task they are what the person says about it. */
export function readLooseText(body: string, reading: SectionReading, status: Status): LooseText[] {
  const foreign: Span[] = reading.foreign === null ? [] : [reading.foreign];
  const find = (name: SectionName, entries: (section: Section) => readonly Span[]) =>
    sectionsNamed(reading, name).flatMap((section) =>
      gapsOf(body, section, [...foreign, ...entries(section)]).map((gap) => ({ section: name, ...gap })),
    );
  const found = find('Comments', () => readQuoted(body, reading, 'Comments'));
  if (status === 'todo' || status === 'doing') found.push(...find('Progress', () => reading.scan.items));
  if (status === 'todo')
    found.push(
      ...find('Outcome', ({ contentStart, end }) => {
        const dated = reading.scan.paragraphs.find(
          ({ start }) => start >= contentStart && start < end && DATED.test(body.slice(start, end)),
        );
        return dated === undefined ? [] : [{ start: dated.start, end }];
      }),
    );
  return found.slice(0, MAX_FOUND);
}

/** What of a section no entry covers, a piece between two entries. */
function gapsOf(body: string, section: Section, entries: readonly Span[]): Omit<LooseText, 'section'>[] {
  const within = entries
    .filter(({ start, end }) => start < section.end && end > section.contentStart)
    .sort((a, b) => a.start - b.start);
  const gaps: Omit<LooseText, 'section'>[] = [];
  let at = section.contentStart;
  for (const { start, end } of [...within, { start: section.end, end: section.end }]) {
    if (start > at) {
      const gap = body.slice(at, start).replace(NO_TEXT, (hidden) => hidden.replace(/[^\r\n]/g, ' '));
      const first = /^[ \t]*\S.*$/m.exec(gap);
      if (first !== null) gaps.push({ start: at + first.index, line: first[0].trim() });
    }
    at = Math.max(at, end);
  }
  return gaps;
}

/** First 32 hex digits of a SHA-256: what `hash` and `revision` hold. */
export const hashText = (text: string): string => digest('sha256', text).slice(0, 32);

export function readTask(
  path: string,
  text: string,
  words: StatusWords,
  hash = hashText(text),
  parsed = parseDocument(text, path),
): TaskReading {
  if (!parsed.ok) return { ok: false, invalid: { path, problems: parsed.problems } };
  const keys: FileKeys = { doc: parsed.doc, path, problems: [], words };
  if (saysDeleted(readText(keys, 'status') ?? '')) {
    const hint = 'give it another status to keep it';
    reportKey(keys, 'status', 'the task is deleted', STATUSES.join(', '), hint);
    return { ok: false, invalid: { path, problems: keys.problems, deleted: true } };
  }
  const body = text.slice(parsed.doc.bodyStart);
  const reading = readSections(body);
  const { checks, ...said } = readKeys(keys);
  const { title, owner, status } = said;
  const task: Task = {
    path,
    name: nameOfPath(path),
    ...said,
    steps: readSteps(body, reading).map(({ title, details, done, task }) => ({ title, details, done, task })),
    revision: hashText(revisionText({ title, owner, body, reading })),
    hash,
  };
  const questions = readQuestions(body, reading).map(toQuestion);
  const ownStatus = ownStatusOf(keys);
  if (ownStatus !== undefined) task.ownStatus = ownStatus;
  if (questions.length > 0) task.questions = questions;
  if (checks.length > 0) task.checks = checks;
  const blocks = findRunBlocks(body, reading);
  if (blocks.ok && blocks.fences.length > 0) task.hasRunBlocks = true;
  const torn = findMergeConflict(body, reading);
  if (torn !== null)
    keys.problems.push({ path, ...placeOf(text, text.length - body.length + torn), ...TORN });
  if (keys.problems.length > 0) return { ok: false, invalid: { path, problems: keys.problems } };
  const oddKeys = [
    ...readOddKeys(parsed.doc, path),
    ...readMisplaced(parsed.doc, body, path),
    ...readLooseText(body, reading, status).map((loose) => unheard(loose, path, text, body)),
  ];
  return { ok: true, task: oddKeys.length === 0 ? task : { ...task, oddKeys } };
}

// While git merges, a file holds both texts: no agent is to work on that, and nothing is to be written into it.
const CONFLICT_LINE = /^(?:(<{7} )|(={7}\r?$)|>{7} )/gm;
const TORN = {
  message: 'a merge of git left a conflict here',
  hint: 'keep what you want of both texts, and remove the lines of <<<<<<<, ======= and >>>>>>>',
};

/** Where one begins in words that ask for a turn; code, agents and trackers may speak of one. */
function findMergeConflict(body: string, { foreign, scan, sections }: SectionReading): number | null {
  const answers = sections.filter(({ name, known }) => known && BOOKKEEPING.has(name));
  const others: Span[] = [...(foreign === null ? [] : [foreign]), ...answers, ...scan.fences];
  let start = -1;
  let isParted = false;
  for (const { index, 1: opens, 2: parts } of body.matchAll(CONFLICT_LINE)) {
    if (opens !== undefined) [start, isParted] = [index, false];
    else if (parts !== undefined) isParted = start >= 0;
    else if (isParted && !others.some((other) => other.start <= start && start < other.end)) return start;
  }
  return null;
}

const readOddKeys = (doc: ParsedDocument, path: string): Problem[] =>
  Object.keys(doc.data).flatMap((key) => {
    const near = nearKey(key, KNOWN_KEYS);
    if (near === null) return [];
    const message = `unknown key ${JSON.stringify(key)}, kept as it is`;
    return [{ path, ...doc.places(key), message, hint: `did you mean ${near}?` }];
  });

const LOOKS_LIKE_KEYS = /^---[ \t]*\r?\n((?:[A-Za-z_][\w-]*:.*\r?\n|[ \t].*\r?\n|#.*\r?\n)+)---[ \t]*\r?$/m;
const NEAR_CHARS = 4_096; // Only near the top is it a slip of the hand.

/** Front matter below other text is read as text, which nobody who wrote `status:` there meant. */
function readMisplaced(doc: ParsedDocument, body: string, path: string): Problem[] {
  if (doc.frontMatter !== null || !body.includes('\n---')) return [];
  const found = LOOKS_LIKE_KEYS.exec(body.slice(0, NEAR_CHARS));
  if (found === null) return [];
  const above = body.slice(0, found.index);
  const keys = [...found[1]!.matchAll(/^([A-Za-z_][\w-]*):/gm)].map(([, key]) => key!);
  // In an example of a file it is meant as text.
  if (/^ {0,3}(?:```|~~~)/m.test(above) || !keys.some((key) => KNOWN_KEYS.includes(key as never))) return [];
  const message = 'front matter below other text is read as text';
  const line = above.split('\n').length;
  const hint = 'move what stands above it below it, so that the file begins with ---';
  return [{ path, line, col: 1, message, hint }];
}

const MAX_SHOWN = 60;

function unheard({ section, start, line }: LooseText, path: string, text: string, body: string): Problem {
  const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN).toWellFormed()}…` : line;
  return {
    path,
    line: text.slice(0, text.length - body.length + start).split(/\r\n|\r|\n/).length,
    col: 1,
    message: `text under ${section} that is no entry starts no turn: ${JSON.stringify(shown)}`,
    hint: 'say it with `taskroom comment`, or move it to the task’s text or under Notes',
  };
}

const MAX_QUESTION_LINE = 300;

function toQuestion(question: Question): TaskQuestion {
  const { key, author, at, text, answers } = question;
  const typed = answers.flatMap((answer) => (answer.kind === 'typed' ? answer.text : []));
  return {
    ...{ key, author, at },
    text: onOneLine(text).slice(0, MAX_QUESTION_LINE).toWellFormed(),
    answer: isOpen(question) ? null : hashOfAnswers(question),
    answerIds: answers.flatMap((answer) => (answer.kind === 'entry' ? answer.id : [])),
    typed: typed.length === 0 ? null : hashText(JSON.stringify(typed)),
  };
}

/** Other words, or one answer more, and it is another. */
export const hashOfAnswers = ({ answers }: Pick<Question, 'answers'>): string =>
  hashText(JSON.stringify(answers));

export function unknownKeys(doc: ParsedDocument): Record<string, unknown> {
  const known = new Set<string>(KNOWN_KEYS);
  return Object.fromEntries(Object.entries(doc.data).filter(([key]) => !known.has(key)));
}

const SHORTEST = 5; // A short word is one letter away from too many others.

/** The known key that `key` most likely stands for; null for a known key, and for one that is like none. */
export function nearKey(key: string, known: readonly string[]): string | null {
  if (known.includes(key)) return null;
  const plain = plainOf(key);
  return (
    known.find((one) => plainOf(one) === plain) ??
    known.find((one) => one.length >= SHORTEST && editDistance(one, key.toLowerCase()) === 1) ??
    null
  );
}

/** `Blocked-By`, `blockedBy` and `blocked by` are one word. */
const plainOf = (key: string): string => key.toLowerCase().replace(/[-_ ]/g, '');
