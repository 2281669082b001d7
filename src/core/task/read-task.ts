// A task file's text → the facts in it, or every problem with its place. Pure: the same text gives the same Task.
import { hash as digest } from 'node:crypto';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import { editDistance } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import { onOneLine } from '../markdown/blank-space.ts';
import { type LooseText, readLooseText } from './body/loose-text.ts';
import { isOpen, type Question, readQuestions } from './body/questions.ts';
import { revisionText } from './body/revision-text.ts';
import { readSections } from './body/sections.ts';
import { readSteps } from './body/steps.ts';
import { createKeyReader, type KeyReader } from './key-reader.ts';
import { STATUSES, saysDeleted } from './status.ts';
import type { InvalidFile, Step, Task, TaskQuestion, TaskReading } from './task.ts';
import { KNOWN_KEYS, readKeys } from './task-keys.ts';
import { nameOfPath } from './task-name.ts';

/** First 32 hex digits of a SHA-256: what `hash` and `revision` hold. */
export function hashText(text: string): string {
  return digest('sha256', text).slice(0, 32);
}

/**
 * Reads a task.
 * @param path path inside the room, for names and problems
 * @param text the whole file, BOM included
 * @param hash of the text, where it is known already
 * @param parsed the text as a document, where it was read already
 */
export function readTask(
  path: string,
  text: string,
  hash = hashText(text),
  parsed = parseDocument(text, path),
): TaskReading {
  if (!parsed.ok) return { ok: false, invalid: { path, problems: parsed.problems } };
  const keys = createKeyReader(parsed.doc, path);
  if (saysDeleted(keys.text('status') ?? '')) return { ok: false, invalid: deletedFile(keys, path) };
  const body = text.slice(parsed.doc.bodyStart);
  const reading = readSections(body);
  const { checks, ...said } = readKeys(keys);
  const { title, owner, status } = said;
  const task: Task = {
    path,
    name: nameOfPath(path),
    ...said,
    steps: readSteps(body, reading).map(toStep),
    revision: hashText(revisionText({ title, owner, body, reading })),
    hash,
  };
  const questions = readQuestions(body, reading).map(toQuestion);
  if (questions.length > 0) task.questions = questions;
  if (checks.length > 0) task.checks = checks;
  if (keys.problems.length > 0) return { ok: false, invalid: { path, problems: keys.problems } };
  const oddKeys = [
    ...readOddKeys(parsed.doc, path),
    ...readMisplaced(parsed.doc, body, path),
    ...readLooseText(body, reading, status).map((loose) => unheard(loose, path, text, body)),
  ];
  return { ok: true, task: oddKeys.length === 0 ? task : { ...task, oddKeys } };
}

function deletedFile({ report, problems }: KeyReader, path: string): InvalidFile {
  report('status', 'the task is deleted', STATUSES.join(', '), 'give it another status to keep it');
  return { path, problems, deleted: true };
}

function readOddKeys(doc: ParsedDocument, path: string): Problem[] {
  return Object.keys(doc.data).flatMap((key) => {
    const near = nearKey(key, KNOWN_KEYS);
    if (near === null) return [];
    const message = `unknown key ${JSON.stringify(key)}, kept as it is`;
    return [{ path, ...doc.places(key), message, hint: `did you mean ${near}?` }];
  });
}

const LOOKS_LIKE_KEYS = /^---[ \t]*\r?\n((?:[A-Za-z_][\w-]*:.*\r?\n|[ \t].*\r?\n|#.*\r?\n)+)---[ \t]*\r?$/m;
// Only near the top is it a slip of the hand.
const NEAR_CHARS = 4_096;

/** Front matter below a text is text: nobody means that who wrote `status:` there. */
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
  return [
    {
      path,
      line,
      col: 1,
      message,
      hint: 'move what stands above it below it, so that the file begins with ---',
    },
  ];
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

function toStep(step: Step): Step {
  return { title: step.title, details: step.details, done: step.done, task: step.task };
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
export function hashOfAnswers({ answers }: Pick<Question, 'answers'>): string {
  return hashText(JSON.stringify(answers));
}

export function unknownKeys(doc: ParsedDocument): Record<string, unknown> {
  const known = new Set<string>(KNOWN_KEYS);
  return Object.fromEntries(Object.entries(doc.data).filter(([key]) => !known.has(key)));
}

// A short word is one letter away from too many others.
const SHORTEST = 5;

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
function plainOf(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, '');
}
