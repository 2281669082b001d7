// What agents ask their person, and what was answered, in the Questions section. A question is an entry with a key; its
// answers are entries that name that key, and what somebody types below it by hand. A question without an answer is
// open: its task waits. What is quoted can make neither a question nor an answer.
import { endWithoutBlanks, firstLineWithText, withoutBlankEdges } from '../../markdown/lines.ts';
import { escapeId, formatQuoted, type QuotedEntry, readQuoted, unescapeId } from './entries.ts';
import { normaliseForeign } from './foreign-text.ts';
import { readSections, type SectionReading, sectionsNamed } from './sections.ts';

export interface Question extends Omit<QuotedEntry, 'mark'> {
  key: string;
  answers: Answer[]; // In the order of the text; none while it is open.
  /** Where its entry and those of its answers stand, each with what is typed below it, in the order of the text. */
  spans: { start: number; end: number }[];
}

export type Answer =
  /** An entry of a tool's or a mirror's. */
  | { kind: 'entry'; id: string; author: string; role: string | null; at: string; text: string }
  | { kind: 'typed'; text: string };

export type NewQuestion = { author: string; role: string | null; atMs: number; key: string; text: string };
export type NewAnswer = NewQuestion & { id: string };

const QUESTION = /^q:(\S+)$/;
const ANSWER = /^a:(\S+) q:(\S+)$/;
// The line that replaces entries which were moved out: it is no answer, even where a person moved it.
const MOVED_OUT = /^\*\d{1,9} older entries: \.taskroom\/spill\/.*\*$/gm;
// Left behind by writes of ours, where a heading had to be kept apart from a list.
const SEPARATOR = /^<!-- -->$/gm;

export const formatQuestion = ({ key, ...said }: NewQuestion): string =>
  formatQuoted({ ...said, mark: `q:${escapeId(key)}` });

export const formatAnswer = ({ key, id, ...said }: NewAnswer): string =>
  formatQuoted({ ...said, mark: `a:${escapeId(id)} q:${escapeId(key)}` });

/** The questions of a body, in order. Of two with the same key the first counts. */
export function readQuestions(body: string, reading: SectionReading = readSections(body)): Question[] {
  const questions = new Map<string, Question>();
  const entries = readQuoted(body, reading, 'Questions').filter(({ mark }) => !mark.startsWith('c:'));
  const sections = sectionsNamed(reading, 'Questions');
  const answers: { key: string; answer: Answer }[] = [];
  const spans: { key: string; start: number; end: number }[] = [];
  for (const [index, { mark, ...entry }] of entries.entries()) {
    const asked = QUESTION.exec(mark);
    const answered = ANSWER.exec(mark);
    const key = unescapeId((asked?.[1] ?? answered?.[2])!);
    if (asked !== null && !questions.has(key)) questions.set(key, { ...entry, key, answers: [], spans: [] });
    if (answered !== null) {
      const { author, role, at, text } = entry;
      answers.push({ key, answer: { kind: 'entry', id: unescapeId(answered[1]!), author, role, at, text } });
    }
    const section = sections.find(({ start, end }) => start <= entry.start && entry.start < end)!;
    const next = Math.min(entries[index + 1]?.start ?? body.length, section.end);
    const typed = typedIn(body, entry.end, next);
    if (typed !== '') answers.push({ key, answer: { kind: 'typed', text: typed } });
    spans.push({ key, start: entry.start, end: endWithoutBlanks(body, next, entry.start) });
  }
  // An answer may stand above its question, where lines were moved by hand.
  for (const { key, answer } of answers) questions.get(key)?.answers.push(answer);
  for (const { key, ...span } of spans) questions.get(key)?.spans.push(span);
  return [...questions.values()];
}

function typedIn(body: string, from: number, to: number): string {
  const text = normaliseForeign(body.slice(from, to)).replace(SEPARATOR, '').replace(MOVED_OUT, '');
  return withoutBlankEdges(text.slice(firstLineWithText(text, 0)));
}

export const isOpen = ({ answers }: Pick<Question, 'answers'>): boolean => answers.length === 0;

// The words under which the ledger knows what a tool or a mirror wrote of questions, so that text typed by hand is not taken for it.

/** Of a question. No provider's name begins so: it can stand beside ids of comments. */
export const questionMark = (key: string): string => `?${key}`;

/** Whether an id beside those of comments is a question's. */
export const isQuestionMark = (id: string): boolean => id.startsWith('?');
export const answerMark = (entry: string): string => `answer:${entry}`;
