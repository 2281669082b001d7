// The last look at a write before it is put in place: the new text must read as the same task plus what was meant.
import { parseDocument } from '../document/document.ts';
import { RoomError } from '../errors.ts';
import { readComments, readOutcome, readProgress } from './body/entries.ts';
import { readQuestions } from './body/questions.ts';
import { readSections, type SectionName, type SectionReading } from './body/sections.ts';
import { readSteps } from './body/steps.ts';
import type { StatusWords } from './key-kinds.ts';
import { readTask, revisionText } from './read-task.ts';

/** One side of a write as it is read. */
interface Version {
  isTask: boolean;
  keys: Readonly<Record<string, unknown>>;
  body: string;
  reading: SectionReading;
}

type EntrySection = Extract<SectionName, 'Questions' | 'Comments' | 'Progress' | 'Outcome'>;

const ENTRY_SECTIONS: readonly EntrySection[] = ['Questions', 'Comments', 'Progress', 'Outcome'];

/** Says what a write did beyond its purpose, in a few words; null when nothing. */
export type HarmOf = (before: Version, after: Version) => string | null;

/** What the write does that it must not do, in a few words; null when nothing. A text that can't be read before is
 * nobody's task yet: an edit may only mend it. */
export function findHarm(
  path: string,
  before: string,
  after: string,
  harmOf: HarmOf,
  words: StatusWords = null,
) {
  const old = before === after ? null : readVersion(path, before, words);
  if (old === null) return null;
  const now = readVersion(path, after, words);
  if (now === null) return 'its front matter could not be read any more';
  if (old.isTask && !now.isTask) return 'it could not be read as a task any more';
  return harmOf(old, now);
}

function readVersion(path: string, text: string, words: StatusWords): Version | null {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const body = text.slice(parsed.doc.bodyStart);
  const isTask = readTask(path, text, words, '', parsed).ok;
  return { isTask, keys: parsed.doc.data, body, reading: readSections(body) };
}

/** What adding entries did beyond it. @param counts of each section @param mayDrop old entries may have moved out of the file */
export function harmOfEntries(
  counts: Readonly<Partial<Record<EntrySection, number>>>,
  mayDrop: boolean,
): HarmOf {
  return (before, after) => {
    const other = otherwise(before, after, ['keys', 'words', 'steps']);
    if (other !== null) return other;
    for (const section of ENTRY_SECTIONS) {
      const [old, now] = [entriesOf(before, section), entriesOf(after, section)];
      const wanted = counts[section] ?? 0;
      if (!mayDrop && missing(old, now).some(isDated)) return `an entry of ${section} would be lost`;
      if (wanted > 0 && missing(now, old).length < wanted) return `the entry would not stand in ${section}`;
    }
    return null;
  };
}

/** What no edit may do; what it was meant to do is checked where it is made. @param given the id the edit was to give, if any */
export function harmOfEdit(given: string | undefined): HarmOf {
  return (before, after) => {
    const [had, has] = [before.keys.id ?? null, after.keys.id ?? null];
    if (had !== null && String(had) !== String(has) && String(has) !== given)
      return 'it would become another task';
    if (before.body === after.body) return null;
    for (const section of ENTRY_SECTIONS) {
      // A comment that was edited upstream keeps its id and gets other words.
      const [old, now] = [before, after].map((version) =>
        entriesOf(version, section).map((entry) =>
          section === 'Comments' ? entry.slice(0, entry.indexOf(' ')) : entry,
        ),
      );
      if (missing(old!, now!).some(isDated)) return `an entry of ${section} would be lost`;
    }
    return null;
  };
}

export const harmOfSteps: HarmOf = (before, after) => otherwise(before, after, ['keys', 'words', 'entries']);

export const harmOfWords: HarmOf = (before, after) => {
  const other = otherwise(before, after, ['keys', 'sections']);
  if (other !== null) return other;
  if (missing(headingsOf(before), headingsOf(after)).length > 0) return PARTS.sections.harm;
  return otherwise(before, after, ['steps', 'entries']);
};

const PARTS = {
  keys: { of: ({ keys }: Version): unknown => keys, harm: 'its front matter would say something else' },
  words: { of: wordsOf, harm: 'the words of its requester would be others' },
  steps: { of: stepsOf, harm: 'its steps would be others' },
  sections: { of: sectionsOf, harm: 'its sections would be others' },
  entries: {
    of: (version: Version) => ENTRY_SECTIONS.map((section) => entriesOf(version, section)),
    harm: 'its entries would be others',
  },
};

function otherwise(before: Version, after: Version, parts: readonly (keyof typeof PARTS)[]): string | null {
  const other = parts
    .map((part) => PARTS[part])
    .find(({ of }) => JSON.stringify(of(before)) !== JSON.stringify(of(after)));
  return other?.harm ?? null;
}

function wordsOf({ keys, body, reading }: Version): string {
  const [title, owner] = ['title', 'owner'].map((key) =>
    Object.hasOwn(keys, key) ? JSON.stringify(keys[key]) : null,
  );
  return revisionText({ title: title ?? null, owner: owner ?? null, body, reading });
}

function stepsOf({ body, reading }: Version): unknown[] {
  return readSteps(body, reading).map(({ title, details, done, task }) => [title, details, done, task]);
}

/** Names of the sections with a meaning, in order; that of the task itself is left out. */
function sectionsOf({ reading }: Version): string[] {
  return reading.sections.filter(({ known, name }) => known && name !== 'Task').map(({ name }) => name);
}

/** Headings from the first section on that end the section before them; those above are words of the task. */
function headingsOf({ body, reading }: Version): string[] {
  const from = reading.sections[0]?.start ?? body.length;
  return reading.scan.headings
    .filter(({ depth, start }) => depth <= 2 && start >= from)
    .map(({ depth, text }) => `${depth} ${text}`);
}

/** The entries of a section, each as its key or time and its words. */
function entriesOf({ body, reading }: Version, section: EntrySection): string[] {
  switch (section) {
    case 'Questions':
      return readQuestions(body, reading).flatMap(({ key, text, answers }) => [
        `${key} ${text}`,
        ...answers.map((answer) => `${answer.kind === 'entry' ? answer.id : 'null'} ${answer.text}`),
      ]);
    case 'Comments':
      return readComments(body, reading).map(({ id, text }) => `${id} ${text}`);
    case 'Progress':
      return readProgress(body, reading).map(({ at, text }) => `${at} ${text}`);
    case 'Outcome':
      return readOutcome(body, reading).map(({ at, text }) => `${at} ${text}`);
  }
}

/** Text typed by hand without a time may be read as more or fewer items. */
const isDated = (entry: string): boolean => !entry.startsWith('null ');

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

/** @throws RoomError `bug` when the write does harm */
export function assertHarmless(...write: Parameters<typeof findHarm>): void {
  const harm = findHarm(...write);
  if (harm !== null) throw harmful(write[0], harm);
}

export function harmful(path: string, harm: string): RoomError {
  const hint = 'the file is untouched; please report it with a copy of the file';
  return new RoomError('bug', `this is a bug of taskroom: a write would have harmed ${path}: ${harm}`, hint);
}
