// The last look at a write before it is put in place: the new text must read as the same task plus what was meant. What
// a text says is read into a print; two prints tell what a write did beyond its purpose.
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import { RoomError } from '../errors.ts';
import { readComments, readOutcome, readProgress } from './body/entries.ts';
import { readQuestions } from './body/questions.ts';
import { readSections, type SectionName } from './body/sections.ts';
import { readSteps } from './body/steps.ts';
import { readTask, revisionText } from './read-task.ts';

export interface Print {
  valid: boolean;
  keys: Readonly<Record<string, unknown>>;
  /** Names of the sections with a meaning, in order; that of the task itself is left out. */
  sections: readonly string[];
  /** Headings from the first section on that end the section before them; those above are words of the task. */
  headings: readonly string[];
  words: string;
  steps: readonly string[];
  entries: Readonly<Record<EntrySection, readonly string[]>>;
}

type EntrySection = Extract<SectionName, 'Questions' | 'Comments' | 'Progress' | 'Outcome'>;

const ENTRY_SECTIONS: readonly EntrySection[] = ['Questions', 'Comments', 'Progress', 'Outcome'];

export function readPrint(path: string, text: string): Print | null {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const { doc } = parsed;
  const body = text.slice(doc.bodyStart);
  const reading = readSections(body);
  return {
    valid: readTask(path, text, '', parsed).ok,
    keys: doc.data,
    sections: reading.sections.filter(({ known, name }) => known && name !== 'Task').map(({ name }) => name),
    headings: reading.scan.headings
      .filter(({ depth, start }) => depth <= 2 && start >= (reading.sections[0]?.start ?? body.length))
      .map(({ depth, text: said }) => `${depth} ${said}`),
    words: revisionText({ title: word(doc, 'title'), owner: word(doc, 'owner'), body, reading }),
    steps: readSteps(body, reading).map(({ title, details, done, task }) =>
      JSON.stringify([title, details, done, task]),
    ),
    entries: {
      Questions: readQuestions(body, reading).flatMap(({ key, text: said, answers }) => [
        `${key} ${said}`,
        ...answers.map((answer) => `${answer.kind === 'entry' ? answer.id : 'null'} ${answer.text}`),
      ]),
      Comments: readComments(body, reading).map(({ id, text: said }) => `${id} ${said}`),
      Progress: readProgress(body, reading).map(({ at, text: said }) => `${at} ${said}`),
      Outcome: readOutcome(body, reading).map(({ at, text: said }) => `${at} ${said}`),
    },
  };
}

function word(doc: ParsedDocument, key: string): string | null {
  return Object.hasOwn(doc.data, key) ? JSON.stringify(doc.data[key]) : null;
}

const UNREADABLE = 'its front matter could not be read any more';

/**
 * What adding entries did beyond adding them; null when nothing.
 * @param counts how many entries each section was to get
 * @param mayDrop true when old entries may have moved out of the file
 */
export function harmOfEntries(
  before: Print,
  after: Print | null,
  counts: Readonly<Partial<Record<EntrySection, number>>>,
  mayDrop: boolean,
): string | null {
  if (after === null) return UNREADABLE;
  if (before.valid && !after.valid) return INVALID;
  const other = otherwise(before, after, ['keys', 'words', 'steps']);
  if (other !== null) return other;
  for (const section of ENTRY_SECTIONS) {
    const [old, now] = [before.entries[section], after.entries[section]];
    const wanted = counts[section] ?? 0;
    if (!mayDrop && missing(old, now).some(isDated)) return `an entry of ${section} would be lost`;
    if (wanted > 0 && missing(now, old).length < wanted) return `the entry would not stand in ${section}`;
  }
  return null;
}

const INVALID = 'it could not be read as a task any more';

/**
 * What an edit did that no edit may do; null when nothing. That it did what it was meant to is checked where it is made.
 * @param given the id that the edit was to give, where it was
 */
export function harmOfEdit(before: Print, after: Print | null, given: string | undefined): string | null {
  if (after === null) return UNREADABLE;
  if (before.valid && !after.valid) return INVALID;
  const [had, has] = [before.keys.id ?? null, after.keys.id ?? null];
  if (had !== null && String(had) !== String(has) && String(has) !== given)
    return 'it would become another task';
  for (const section of ENTRY_SECTIONS) {
    // A comment that was edited upstream keeps its id and gets other words.
    const [old, now] = [before.entries[section], after.entries[section]].map((list) =>
      section === 'Comments' ? list.map((entry) => entry.slice(0, entry.indexOf(' '))) : list,
    );
    if (missing(old!, now!).some(isDated)) return `an entry of ${section} would be lost`;
  }
  return null;
}

export function harmOfSteps(before: Print, after: Print | null): string | null {
  return after === null ? UNREADABLE : otherwise(before, after, ['keys', 'words', 'entries']);
}

export function harmOfWords(before: Print, after: Print | null): string | null {
  if (after === null) return UNREADABLE;
  const other = otherwise(before, after, ['keys', 'sections']);
  if (other !== null) return other;
  if (missing(before.headings, after.headings).length > 0) return OTHER.sections;
  return otherwise(before, after, ['steps', 'entries']);
}

const OTHER = {
  keys: 'its front matter would say something else',
  words: 'the words of its requester would be others',
  steps: 'its steps would be others',
  sections: 'its sections would be others',
  entries: 'its entries would be others',
};

function otherwise(before: Print, after: Print, parts: readonly (keyof typeof OTHER)[]): string | null {
  const other = parts.find((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]));
  return other === undefined ? null : OTHER[other];
}

/** Text typed by hand without a time may be read as more or fewer items. */
function isDated(entry: string): boolean {
  return !entry.startsWith('null ');
}

/** Those of `wanted` that `present` does not hold, each counted as often as it stands. */
function missing(wanted: readonly string[], present: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const entry of present) left.set(entry, (left.get(entry) ?? 0) + 1);
  return wanted.filter((entry) => {
    const count = left.get(entry) ?? 0;
    left.set(entry, count - 1);
    return count <= 0;
  });
}

export function harmful(path: string, harm: string): RoomError {
  return new RoomError('bug', `this is a bug of taskroom: a write would have harmed ${path}: ${harm}`, {
    hint: 'the file is untouched; please report it with a copy of the file',
  });
}
